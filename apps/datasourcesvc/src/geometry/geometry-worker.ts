// A process of its own: it converts the one model that comes through its standard input, and ends. Whoever started it ends it when that takes too much.
import { ServiceError } from '@twinyard/conventions';
import { serveParent } from '@twinyard/service-kit/child';
import { createWriteStream } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { convertModel } from './convert-model';
import { BYTES_FD, type GeometryMessage } from './geometry-messages';

const say = (message: GeometryMessage) => new Promise<void>((resolve) => process.send?.(message, () => resolve()));

async function convert(id: string): Promise<void> {
  let told = -1;
  const tell = (percent: number) => {
    if (percent <= told) return;
    told = percent;
    void say({ kind: 'progress', percent });
  };
  const { bytes, figures } = await convertModel(await buffer(process.stdin), id, tell);
  await say({ kind: 'converted', figures, bytes: bytes.byteLength });
  await new Promise<void>((resolve, reject) => createWriteStream('', { fd: BYTES_FD }).once('error', reject).end(bytes, resolve));
}

serveParent();
// The libraries say what they do, and nobody listens.
console.log = console.warn = console.error = () => undefined;
convert(process.argv[2] ?? '')
  .catch(async (error: unknown) => {
    if (!(error instanceof ServiceError)) throw error;
    await say({ kind: 'refused', message: error.message });
  })
  .then(() => process.exit(0), () => process.exit(1));
