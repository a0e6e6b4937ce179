import { invalid } from '@twinyard/conventions';

const START = 'ISO-10303-21';
const END = 'END-ISO-10303-21';
const EDGE = 4_096;

/** Refuses what the parser would take for an empty model or half of one: another format, and a file that was cut off. */
export function checkEnvelope(file: Uint8Array): void {
  if (file.byteLength === 0) throw invalid('The file is empty');
  if (!ascii(file.subarray(0, EDGE)).includes(START)) {
    throw invalid('The file is not an IFC file: it does not start with ISO-10303-21');
  }
  if (!ascii(file.subarray(-EDGE)).includes(END)) {
    throw invalid('The IFC file is not whole: it does not end with END-ISO-10303-21');
  }
}

const ascii = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
