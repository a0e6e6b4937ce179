import { createWriteStream } from 'node:fs';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Inject, Injectable } from '@nestjs/common';
import { ObjectStore } from '@twinyard/blobs';
import { HEAD_BYTES, type Kind, kindOf, NoPicture, TEXT_BYTES } from '@twinyard/previews';
import { FILESVC_SETTINGS, type FilesvcSettings } from '../config';
import { codingsOf, decode, isDecodable } from '../content/content-codings';
import type { FileVersionEntity } from '../versions/file-version.entity';

/** What a picture is drawn of, without the encoding that it is stored in. */
@Injectable()
export class PreviewInput {
  constructor(
    private readonly store: ObjectStore,
    @Inject(FILESVC_SETTINGS) private readonly settings: Pick<FilesvcSettings, 'PREVIEW_MAX_INPUT_BYTES'>,
  ) {}

  /** By the first bytes. `undefined` when there are no pictures of such files. */
  async kindOf(version: FileVersionEntity): Promise<Kind | undefined> {
    if (!isDecodable(codingsOf(version.contentEncoding))) return undefined;
    return kindOf(await this.head(version, HEAD_BYTES));
  }

  /** Of a text no more than is drawn. */
  async fetch(version: FileVersionEntity, kind: Kind, path: string): Promise<void> {
    const { PREVIEW_MAX_INPUT_BYTES: maxBytes } = this.settings;
    if (kind === 'text') return pipeline(Readable.from([await this.head(version, TEXT_BYTES)]), createWriteStream(path, { mode: 0o600 }));
    if (version.size > maxBytes) throw new NoPicture('is too large');
    const codings = codingsOf(version.contentEncoding);
    const stored = await this.store.get(version.blobKey);
    await pipeline(codings.length === 0 ? stored : decode(stored, codings), atMost(maxBytes), createWriteStream(path, { mode: 0o600 })).catch((error: unknown) => {
      throw isOfZlib(error) ? new NoPicture('is broken', { cause: error }) : error;
    });
  }

  private async head({ size, blobKey, contentEncoding }: FileVersionEntity, most: number): Promise<Buffer> {
    if (size === 0) return Buffer.alloc(0);
    const codings = codingsOf(contentEncoding);
    // Of what is encoded nobody knows beforehand how much it takes.
    const stored = await (codings.length === 0 ? this.store.get(blobKey, { first: 0, last: Math.min(size, most) - 1 }) : this.store.get(blobKey));
    const chunks: Buffer[] = [];
    let length = 0;
    try {
      for await (const chunk of (codings.length === 0 ? stored : decode(stored, codings)) as AsyncIterable<Buffer>) {
        chunks.push(chunk);
        length += chunk.length;
        if (length >= most) break;
      }
    } catch (error) {
      throw isOfZlib(error) ? new NoPicture('is broken', { cause: error }) : error;
    }
    return Buffer.concat(chunks).subarray(0, most);
  }
}

const isOfZlib = (error: unknown) => error instanceof Error && 'code' in error && /^(Z_|ERR__ERROR_FORMAT|ERR__BROTLI|ERR_BROTLI|ERR_ZSTD|ZSTD_)/.test(String(error.code));

function atMost(maxBytes: number): Transform {
  let size = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      done(size > maxBytes ? new NoPicture('is too large') : null, chunk);
    },
  });
}
