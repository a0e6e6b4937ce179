import { unmatchedAt } from './whole-entities';

const START = 'ISO-10303-21';
const END = 'END-ISO-10303-21';
/** Bytes at either end in which the marks must stand: comments and blank lines may lie around them. */
const EDGE = 4_096;
const LINE_FEED = 0x0a;

export type StructureFault =
  | { readonly kind: 'empty' | 'no start' | 'no end' }
  /** Brackets of an entity do not match. `line` counts from 1. */
  | { readonly kind: 'brackets'; readonly line: number };

/**
 * What a glance at the text tells against a file that claims to be an exchange structure (ISO 10303-21, clause 5): parsers take one
 * of another format, or one that was cut off, for an empty or half a model, and look for the end of an open bracket until they are killed.
 */
export function structureFaultOf(bytes: Uint8Array): StructureFault | undefined {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (file.length === 0) return { kind: 'empty' };
  if (!file.subarray(0, EDGE).includes(START)) return { kind: 'no start' };
  if (!file.subarray(-EDGE).includes(END)) return { kind: 'no end' };
  const at = unmatchedAt(file);
  return at === undefined ? undefined : { kind: 'brackets', line: lineOf(file, at) };
}

function lineOf(file: Buffer, at: number): number {
  let line = 1;
  for (let end = file.indexOf(LINE_FEED); end >= 0 && end < at; end = file.indexOf(LINE_FEED, end + 1)) line += 1;
  return line;
}
