import { Injectable } from '@nestjs/common';
import { NamespaceQuota } from '../quota/namespace-quota';
import { BlobScan } from '../scan/blob-scan';

/** What bytes that come in are held to. */
@Injectable()
export class UploadSafety {
  constructor(readonly quota: NamespaceQuota, readonly scan: BlobScan) {}
}
