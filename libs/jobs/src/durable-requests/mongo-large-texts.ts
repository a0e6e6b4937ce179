import type { MongoConnection, MongoTx } from '@twinyard/service-kit';

export const LARGE_TEXTS = 'durable_request_texts';

/** JSON as a document keeps it: the text, or where its parts are. */
export type KeptText = string | { readonly parts: number };

interface Part {
  _id: string;
  bytes: Uint8Array;
}

/** A document of MongoDB holds 16 MB; a body of 10 MB and an answer that is longer still must fit beside the rest. */
const PART_BYTES = 4_000_000;

const idsOf = (name: string, parts: number) => Array.from({ length: parts }, (_, n) => `${name} ${n}`);

/** Texts of any length. */
export class MongoLargeTexts {
  constructor(private readonly connection: MongoConnection) {}

  async keep(tx: MongoTx, name: string, text: string): Promise<KeptText> {
    if (!isLarge(text)) return text;
    const bytes = Buffer.from(text);
    const ids = idsOf(name, Math.ceil(bytes.length / PART_BYTES));
    await tx.touch(LARGE_TEXTS, ids);
    for (const [n, _id] of ids.entries()) {
      await tx.collection<Part>(LARGE_TEXTS).insertOne({ _id, bytes: bytes.subarray(n * PART_BYTES, (n + 1) * PART_BYTES) }, tx.options);
    }
    return { parts: ids.length };
  }

  async read(name: string, text: KeptText): Promise<string> {
    if (typeof text === 'string') return text;
    const read: Buffer[] = [];
    for (const _id of idsOf(name, text.parts)) {
      const part = await this.connection.db.collection<Part>(LARGE_TEXTS).findOne({ _id }, { promoteBuffers: true });
      if (!part) throw new Error(`A part of ${name} is missing`);
      read.push(Buffer.from(part.bytes));
    }
    return Buffer.concat(read).toString();
  }

  async forget(name: string, text: KeptText | undefined, tx?: MongoTx): Promise<void> {
    if (typeof text !== 'object') return;
    const ids = idsOf(name, text.parts);
    await tx?.touch(LARGE_TEXTS, ids);
    await this.connection.db.collection<Part>(LARGE_TEXTS).deleteMany({ _id: { $in: ids } }, tx?.options);
  }
}

export const isLarge = (text: string): boolean => text.length > PART_BYTES / 4;
