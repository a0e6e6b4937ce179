import { invalid } from '@twinyard/conventions';
import type { StoredDocument } from '../document';

/** Columns of a row of ours, in the order of `COPIED_COLUMNS`. */
const COLUMNS = 4;
export const COPIED_COLUMNS = 'part, id, bytes, doc';

/** PostgreSQL's manual, "COPY", "Binary Format": signature, flags, and no extension. */
const HEADER = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const END_OF_ROWS = -1;
/** The first byte of `jsonb` in that format. */
const JSONB_VERSION = 1;

const FIRST_BYTES = 64 * 1024;
/** In UTF-8 a unit of UTF-16 takes no more. */
const BYTES_PER_UNIT = 3;
/** Lengths and numbers of a row. */
const ROW_OVERHEAD = 64;

export interface CopiedRows {
  /** What `COPY … FROM STDIN (FORMAT binary)` reads. */
  readonly rows: Buffer;
  /** The documents as JSON in UTF-8, commas between them. */
  readonly list: Buffer;
  /** What all of them weigh (`byteSize`). */
  readonly bytes: number;
}

/** Documents in the form that the server copies in, each made into bytes once: for the row, for its weight and for the answer. */
export function copiedRows(partition: string, documents: readonly StoredDocument[]): CopiedRows {
  const rows = new Bytes();
  rows.bytes(HEADER);
  const places: number[] = [];
  let bytes = 0;
  for (const document of documents) {
    if (typeof document._id !== 'string' || document._id === '') throw invalid('_id: must be a text');
    const size = writeRow(rows, partition, document._id, JSON.stringify(document));
    places.push(rows.length - size);
    bytes += size;
  }
  rows.int16(END_OF_ROWS);
  const whole = rows.written();
  return { rows: whole, list: listOf(whole, places, bytes), bytes };
}

/** What the document weighs; it stands at the end of its row. */
function writeRow(rows: Bytes, partition: string, id: string, json: string): number {
  rows.reserve((partition.length + id.length + json.length) * BYTES_PER_UNIT + ROW_OVERHEAD);
  rows.int16(COLUMNS);
  rows.measured(() => rows.text(partition));
  rows.measured(() => rows.text(id));
  rows.int32(Int32Array.BYTES_PER_ELEMENT);
  const weight = rows.length;
  rows.int32(0);
  const field = rows.length;
  rows.int32(0);
  rows.byte(JSONB_VERSION);
  const size = rows.text(json);
  rows.int32At(weight, size);
  rows.int32At(field, size + 1);
  return size;
}

function listOf(rows: Buffer, places: readonly number[], bytes: number): Buffer {
  const list = Buffer.allocUnsafe(bytes + Math.max(0, places.length - 1));
  let at = 0;
  places.forEach((place, index) => {
    if (index > 0) at = list.writeUInt8(COMMA, at);
    // A document is as long as its field, without the byte of the version.
    at += rows.copy(list, at, place, place + rows.readInt32BE(place - 5) - 1);
  });
  return list;
}

const COMMA = 0x2c;

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

  /** A field behind its length. */
  measured(write: () => number): void {
    const place = this.length;
    this.int32(0);
    this.int32At(place, write());
  }

  written(): Buffer {
    return this.buffer.subarray(0, this.length);
  }
}
