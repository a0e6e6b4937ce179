import type { JsonObject } from '../../document';
import { refuseHeavy } from '../../heavy-answers';

/** The rows of an answer; what it weighs is the UTF-8 of its JSON. */
export class AnswerRows {
  readonly rows: JsonObject[] = [];
  /** Of the list: a bracket at its begin, and a comma or a bracket behind each row. */
  private bytes = 1;

  constructor(private readonly mostBytes: number) {}

  /** Errors: `limit_exceeded` where the answer would weigh more than it may. */
  add(row: JsonObject): void {
    this.bytes += jsonBytes(row, this.mostBytes - this.bytes) + 1;
    if (this.bytes > this.mostBytes) throw refuseHeavy(this.mostBytes);
    this.rows.push(row);
  }
}

const NULL_BYTES = 'null'.length;

/** UTF-8 of the JSON of what is JSON, in bytes. It counts no further than `most`: a value that is named many times takes no more memory for it, but its JSON does. */
export function jsonBytes(value: unknown, most = Number.POSITIVE_INFINITY): number {
  switch (typeof value) {
    case 'string':
      return Buffer.byteLength(JSON.stringify(value));
    case 'number':
      return Number.isFinite(value) ? String(value).length : NULL_BYTES;
    case 'boolean':
      return String(value).length;
    case 'object':
      if (value === null) return NULL_BYTES;
      return Array.isArray(value) ? listBytes(value, most) : fieldBytes(value, most);
    default:
      return NULL_BYTES;
  }
}

/** With a comma for each but the first. */
function listBytes(list: readonly unknown[], most: number): number {
  let bytes = 2 + Math.max(0, list.length - 1);
  for (const inner of list) {
    if (bytes > most) break;
    bytes += jsonBytes(inner, most - bytes);
  }
  return bytes;
}

function fieldBytes(object: object, most: number): number {
  const fields = Object.entries(object).filter(([, inner]) => inner !== undefined);
  let bytes = 2 + Math.max(0, fields.length - 1);
  for (const [name, inner] of fields) {
    if (bytes > most) break;
    bytes += jsonBytes(name) + 1;
    bytes += jsonBytes(inner, most - bytes);
  }
  return bytes;
}
