import { Inject, Injectable } from '@nestjs/common';
import { FILESVC_SETTINGS, type FilesvcSettings } from '../config';
import { NamespaceQuota } from '../quota/namespace-quota';
import { BlobScan } from '../scan/blob-scan';

/** What bytes that come in are held to. */
@Injectable()
export class UploadSafety {
  readonly silenceMs: number;

  constructor(readonly quota: NamespaceQuota, readonly scan: BlobScan, @Inject(FILESVC_SETTINGS) settings: Pick<FilesvcSettings, 'UPLOAD_SILENCE_SECONDS'>) {
    this.silenceMs = settings.UPLOAD_SILENCE_SECONDS * 1_000;
  }
}
