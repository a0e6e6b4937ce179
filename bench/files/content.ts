import { createHash, randomBytes } from 'node:crypto';

const PIECE = 1024 ** 2;
const piece = randomBytes(PIECE);

/** Bytes of no file: the same million again and again, so that making them costs the load generator nothing. `size` in bytes, a multiple of a MiB. */
export async function* contentOf(size: number): AsyncGenerator<Buffer> {
  for (let sent = 0; sent < size; sent += PIECE) yield piece;
}

export function checksumOf(size: number): string {
  const hash = createHash('sha256');
  for (let sent = 0; sent < size; sent += PIECE) hash.update(piece);
  return hash.digest('hex');
}
