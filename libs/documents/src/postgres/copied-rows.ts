import { invalidField } from '@twinyard/conventions';
import type { CollectionRef, StoredDocument } from '../document';
import type { InsertResult } from '../document-store';
import { requireStorable } from '../measured-documents';

/** Columns of a row of ours, in the order of `COPIED_COLUMNS`. */
const COLUMNS = 4;
export const COPIED_COLUMNS = 'part, id, bytes, doc';

/** PostgreSQL's manual, "COPY", "Binary Format": signature, flags, and no extension. */
const HEADER = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const END_OF_ROWS = -1;
/** The first byte of `jsonb` in that format. */
const JSONB_VERSION = 1;

/** In UTF-8 a unit of UTF-16 takes no more. */
const BYTES_PER_UNIT = 3;
/** Lengths and numbers of a row. */
const ROW_OVERHEAD = 64;
const COMMA = Buffer.from(',');

interface CopiedRows {
  /** What `COPY … FROM STDIN (FORMAT binary)` reads. */
  readonly rows: Buffer;
  /** The documents as JSON in UTF-8, commas between them. */
  readonly list: Buffer;
  /** What each of them weighs (`byteSize`). */
  readonly sizes: readonly number[];
}

/** So many, or so much, that a way to the server is nothing beside them, and that they are ready before anybody waits for it. */
const PART = { documents: 1_000, bytes: 1024 * 1024 };

/** Copies documents in; while the server works on some, the next are made ready. */
export async function copyByParts(target: CollectionRef, documents: readonly StoredDocument[], copy: (rows: Buffer) => Promise<void>): Promise<InsertResult> {
  const list: Buffer[] = [];
  const sizes: number[] = [];
  let before: Promise<void> = Promise.resolve();
  for (let first = 0; first < documents.length; first = sizes.length) {
    const part = copiedRows(target, documents.slice(first, first + PART.documents));
    await before;
    before = copy(part.rows);
    // It is waited for, but behind what may throw.
    before.catch(() => undefined);
    list.push(...(first === 0 ? [part.list] : [COMMA, part.list]));
    for (const size of part.sizes) sizes.push(size);
  }
  await before;
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  return { count: documents.length, bytes, list: list.length === 1 ? (list[0] as Buffer) : Buffer.concat(list), sizes };
}

/** The first of the documents, in the form that the server copies in. The JSON of each is made once: for the row, for its weight and for the answer. */
function copiedRows(target: CollectionRef, documents: readonly StoredDocument[]): CopiedRows {
  const [rows, list] = [new Bytes(), new Bytes()];
  const sizes: number[] = [];
  rows.bytes(HEADER);
  for (const document of documents) {
    if (typeof document._id !== 'string' || document._id === '') throw invalidField('_id', 'must be a text');
    const json = JSON.stringify(document);
    const size = writeRow(rows, target.partition, document._id, json);
    requireStorable(document, size, target);
    sizes.push(size);
    list.reserve(json.length * BYTES_PER_UNIT + 1);
    if (list.length > 0) list.bytes(COMMA);
    list.text(json);
    if (list.length >= PART.bytes) break;
  }
  rows.int16(END_OF_ROWS);
  return { rows: rows.written(), list: list.written(), sizes };
}

/** What the document weighs. */
function writeRow(rows: Bytes, partition: string, id: string, json: string): number {
  rows.reserve((partition.length + id.length + json.length) * BYTES_PER_UNIT + ROW_OVERHEAD);
  rows.int16(COLUMNS);
  rows.field(partition);
  rows.field(id);
  rows.int32(Int32Array.BYTES_PER_ELEMENT);
  const weight = rows.length;
  rows.int32(0);
  rows.int32(0);
  rows.byte(JSONB_VERSION);
  const size = rows.text(json);
  rows.int32At(weight, size);
  rows.int32At(weight + Int32Array.BYTES_PER_ELEMENT, size + 1);
  return size;
}

const FIRST_BYTES = 64 * 1024;

/** Grows as it is written to. */
class Bytes {
  length = 0;
  private buffer = Buffer.allocUnsafe(FIRST_BYTES);

  reserve(size: number): void {
    if (this.length + size <= this.buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.buffer.length, this.length + size));
    this.buffer.copy(larger, 0, 0, this.length);
    this.buffer = larger;
  }

  byte(value: number): void {
    this.length = this.buffer.writeUInt8(value, this.length);
  }

  int16(value: number): void {
    this.reserve(2);
    this.length = this.buffer.writeInt16BE(value, this.length);
  }

  int32(value: number): void {
    this.length = this.buffer.writeInt32BE(value, this.length);
  }

  int32At(place: number, value: number): void {
    this.buffer.writeInt32BE(value, place);
  }

  bytes(value: Buffer): void {
    this.reserve(value.length);
    this.length += value.copy(this.buffer, this.length);
  }

  /** Its length in bytes. */
  text(value: string): number {
    const size = this.buffer.write(value, this.length);
    this.length += size;
    return size;
  }

  /** A text behind its length. */
  field(value: string): void {
    const place = this.length;
    this.int32(0);
    this.int32At(place, this.text(value));
  }

  written(): Buffer {
    return this.buffer.subarray(0, this.length);
  }
}
