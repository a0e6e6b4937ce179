import { createHash } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_$';

/** An entity that stands in the file, `#12`. */
export type Ref = `#${number}`;
/** One argument as it is written in the file. */
export type Argument = string | readonly Argument[];

/** Writes entities one after the other; the same text each time for the same calls. */
export class StepWriter {
  private readonly lines: string[] = [];
  private readonly shared = new Map<string, Ref>();
  private readonly guids = new Set<string>();

  add(type: string, ...args: readonly Argument[]): Ref {
    const ref: Ref = `#${this.lines.length + 1}`;
    this.lines.push(`${ref}=${type}${write(args)};`);
    return ref;
  }

  /** An entity without an identity of its own (a point, a direction): each is written once. */
  share(type: string, ...args: readonly Argument[]): Ref {
    const text = type + write(args);
    const ref = this.shared.get(text) ?? this.add(type, ...args);
    this.shared.set(text, ref);
    return ref;
  }

  /** The argument for the GlobalId of the thing with this path: a digest, so that it never changes. */
  guid(path: string): string {
    const guid = ifcGuid(createHash('sha256').update(`twinyard sample building/${path}`).digest().subarray(0, 16));
    if (this.guids.has(guid)) throw new Error(`Two things are called ${path}`);
    this.guids.add(guid);
    return text(guid);
  }

  toFile(header: readonly string[]): string {
    return ['ISO-10303-21;', 'HEADER;', ...header, 'ENDSEC;', 'DATA;', ...this.lines, 'ENDSEC;', 'END-ISO-10303-21;', ''].join('\n');
  }
}

/** 128 bits in the 22 characters of an IfcGloballyUniqueId: two bits, then 21 times six. */
export function ifcGuid(bytes: Uint8Array): string {
  let rest = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let guid = '';
  for (let position = 0; position < 22; position++, rest >>= 6n) guid = (ALPHABET[Number(rest & 63n)] ?? '') + guid;
  return guid;
}

function write(argument: Argument): string {
  return typeof argument === 'string' ? argument : `(${argument.map(write).join(',')})`;
}

export const NONE = '$';
export const text = (value: string) => `'${value.replaceAll("'", "''")}'`;
export const constant = (value: string) => `.${value}.`;
/** STEP reals have a point: `3.`, `0.25`; rounded to a tenth of a millimetre. */
export function real(value: number): string {
  const written = String(Number(value.toFixed(4)) || 0);
  return written.includes('.') ? written : `${written}.`;
}
