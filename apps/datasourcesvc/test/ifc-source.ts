import { createHash } from 'node:crypto';
import type { IfcSource } from '../src/ifc/on-disk/source-copy';

/** A file as a download gives it. */
export const sourceOf = (content: Buffer): IfcSource => ({
  known: { size: content.length, sha256: createHash('sha256').update(content).digest('hex') },
  async *bytes() {
    for (let at = 0; at < content.length; at += 65_536) yield content.subarray(at, at + 65_536);
  },
});
