import { runOnS3 } from './on-s3';

/** The specs in which bytes move. */
runOnS3('minio', ['./uploads.http.spec', './resumable.http.spec', './content.http.spec', './safety.http.spec', './scan.http.spec', './quota.http.spec', './content-forms.http.spec', './previews.http.spec', './races.http.spec', './versions.http.spec', './repeated-uploads.http.spec']);
