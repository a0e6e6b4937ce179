import { Inject, Injectable } from '@nestjs/common';
import { type PaceSettings, type PaceTerms, paceTermsOf } from '@twinyard/service-kit';
import { FILESVC_SETTINGS } from '../config';
import { NamespaceQuota } from '../quota/namespace-quota';
import { BlobScan } from '../scan/blob-scan';

/** What bytes that come in are held to. */
@Injectable()
export class UploadSafety {
  readonly line: PaceTerms;

  constructor(readonly quota: NamespaceQuota, readonly scan: BlobScan, @Inject(FILESVC_SETTINGS) settings: PaceSettings) {
    this.line = paceTermsOf(settings);
  }
}
