import { Inject, Injectable } from '@nestjs/common';
import { FILESVC_SETTINGS } from '../config';
import { NamespaceQuota } from '../quota/namespace-quota';
import { BlobScan } from '../scan/blob-scan';
import { type LineSettings, type LineTerms, lineTerms } from './sender-pace';

/** What bytes that come in are held to. */
@Injectable()
export class UploadSafety {
  readonly line: LineTerms;

  constructor(readonly quota: NamespaceQuota, readonly scan: BlobScan, @Inject(FILESVC_SETTINGS) settings: LineSettings) {
    this.line = lineTerms(settings);
  }
}
