import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { type DocumentTx, DocumentStore, versionOf } from '@twinyard/documents';
import { RequestSeal } from '@twinyard/jobs';
import { IMPORT_CHUNKS } from '../storage/collections';
import { own } from '../storage/filters';

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** Of a file, before it is deflated. */
export const CHUNK_BYTES = 1024 * 1024;
const EVERYTHING = own({});

/** Which file. */
export interface SpoolKey {
  readonly _id: string;
  readonly isConfidential: boolean;
}

/** Of a file, deflated, in base64: readable for every replica. Their order is that of their ids. */
export interface Chunk {
  readonly _id: string;
  readonly content: string;
}

const target = (importId: string) => versionOf(IMPORT_CHUNKS.name, importId);
const contextOf = (importId: string, index: number) => `chunk ${index} of import ${importId}`;
const chunkId = (index: number) => String(index).padStart(9, '0');

@Injectable()
export class ImportSpool {
  constructor(
    private readonly store: DocumentStore,
    private readonly seal: RequestSeal,
  ) {}

  /** Outside of the transaction that adds it: this is most of the work. */
  async prepare({ _id: importId, isConfidential }: SpoolKey, index: number, bytes: Buffer): Promise<Chunk> {
    const content = (await deflate(bytes, { level: 1 })).toString('base64');
    return { _id: chunkId(index), content: isConfidential ? this.seal.seal(content, contextOf(importId, index)) : content };
  }

  async add(tx: DocumentTx, importId: string, chunk: Chunk): Promise<void> {
    await this.store.insertMany(tx, target(importId), [{ ...chunk }]);
  }

  /** A chunk at a time; the next is on its way while one is worked on. */
  async *read(key: SpoolKey): AsyncGenerator<Buffer, void> {
    let next = this.chunk(key, 0);
    for (let index = 1; ; index += 1) {
      const bytes = await next;
      if (bytes === undefined) return;
      next = this.chunk(key, index);
      // It is waited for later, or never.
      next.catch(() => undefined);
      yield bytes;
    }
  }

  /** True when nothing is left; not more than `limit` chunks in one transaction. */
  async removeSome(importId: string, limit: number): Promise<boolean> {
    const some = await this.store.find(target(importId), { projection: { _id: 1 }, sort: { _id: -1 }, limit });
    if (some.length > 0) await this.store.transaction((tx: DocumentTx) => this.store.deleteMany(tx, target(importId), own({ _id: { $in: some.map(({ _id }) => _id) } })));
    return some.length < limit;
  }

  async removeAll(tx: DocumentTx, importId: string): Promise<void> {
    await this.store.deleteMany(tx, target(importId), EVERYTHING);
  }

  private async chunk({ _id: importId, isConfidential }: SpoolKey, index: number): Promise<Buffer | undefined> {
    const [found] = await this.store.find(target(importId), { filter: own({ _id: chunkId(index) }), limit: 1 });
    if (found === undefined) return undefined;
    const { content } = found as unknown as Chunk;
    return inflate(Buffer.from(isConfidential ? this.seal.open(content, contextOf(importId, index)) : content, 'base64'));
  }
}
