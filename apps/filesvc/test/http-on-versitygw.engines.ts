import { runOnS3 } from './on-s3';

/** The specs in which bytes come, go or are looked for; rights, names, lists and what becomes of a drawing process are the same on any store. */
runOnS3('versitygw', ['./files.http.spec', './uploads.http.spec', './resumable.http.spec', './content.http.spec', './safety.http.spec', './scan.http.spec', './quota.http.spec', './content-forms.http.spec', './races.http.spec', './versions.http.spec', './repeated-uploads.http.spec', './purge.http.spec', './previews.http.spec']);
