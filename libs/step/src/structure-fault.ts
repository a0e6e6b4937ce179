export const START = 'ISO-10303-21';
export const END = 'END-ISO-10303-21';
/** Bytes at either end in which the marks must stand: comments and blank lines may lie around them. */
export const EDGE = 4_096;

export type StructureFault = 'empty' | 'no start' | 'no end';

/**
 * What a glance at both ends tells against a file that claims to be an exchange structure (ISO 10303-21, clause 5): parsers take one
 * of another format, or one that was cut off, for an empty or half a model.
 */
export function structureFaultOf(bytes: Uint8Array): StructureFault | undefined {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (file.length === 0) return 'empty';
  if (!isThere(file.subarray(0, EDGE), START)) return 'no start';
  return isThere(file.subarray(-EDGE), END) ? undefined : 'no end';
}

const isThere = (edge: Buffer, mark: string) => edge.toString('latin1').toUpperCase().includes(mark);
