import { runOnS3 } from './on-s3';

runOnS3('versitygw', ['./files.http.spec', './lists.http.spec', './uploads.http.spec', './resumable.http.spec', './content.http.spec', './safety.http.spec', './scan.http.spec', './quota.http.spec', './content-forms.http.spec', './permissions-and-events.http.spec', './races.http.spec', './versions.http.spec', './repeated-uploads.http.spec', './odd-requests.http.spec', './purge.http.spec', './previews.http.spec', './preview-faults.http.spec']);
