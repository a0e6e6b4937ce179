import { Injectable } from '@nestjs/common';
import { ObjectStore } from '@twinyard/blobs';
import { detectContentType, PREFIX_BYTES } from '../detection/detect-content-type';
import { BlobScan } from './blob-scan';

/** What stored bytes turned out to be. */
export interface BlobFindings {
  readonly detectedContentType: string | null;
  readonly quarantinedFor: string | null;
}

/** Looks at bytes that are in the store and in no version yet. */
@Injectable()
export class BlobInspection {
  constructor(private readonly store: ObjectStore, private readonly scan: BlobScan) {}

  async inspect(blob: { readonly key: string; readonly size: number }, contentEncoding: string | null): Promise<BlobFindings> {
    const detected = blob.size === 0 ? undefined : await detectContentType(await this.prefixOf(blob), contentEncoding);
    return { detectedContentType: detected ?? null, quarantinedFor: await this.scan.findIn(blob) };
  }

  private async prefixOf({ key, size }: { readonly key: string; readonly size: number }): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for await (const chunk of await this.store.get(key, { first: 0, last: Math.min(size, PREFIX_BYTES) - 1 })) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  }
}
