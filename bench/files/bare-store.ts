// `node dist/bench/files/bare-store.js <folder>`: what a transfer costs without us, for comparison. Prints its port.
import { createReadStream, createWriteStream } from 'node:fs';
import { stat, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { DataStore, Server, type Upload } from '@tus/server';

/**
 * The library's own file store is a package that is not installed; this is what it does with bytes: a write stream on a file that is
 * there already. Its state is kept in memory, and nothing is brought to the disk or hashed.
 */
class BareDataStore extends DataStore {
  private readonly uploads = new Map<string, Upload>();

  constructor(private readonly folder: string) {
    super();
    this.extensions = ['creation'];
  }

  override async create(upload: Upload): Promise<Upload> {
    await writeFile(join(this.folder, upload.id), '');
    this.uploads.set(upload.id, upload);
    return upload;
  }

  override async getUpload(id: string): Promise<Upload> {
    const known = this.uploads.get(id);
    if (known === undefined) throw new Error(`no upload ${id}`);
    return Object.assign(known, { offset: (await stat(join(this.folder, id))).size });
  }

  override async write(body: Readable | ReadableStream, id: string, offset: number): Promise<number> {
    const source = body instanceof Readable ? body : Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]);
    const file = createWriteStream(join(this.folder, id), { flags: 'r+', start: offset });
    await pipeline(source, file);
    return offset + file.bytesWritten;
  }
}

/** `POST /tus` and `PATCH /tus/<id>` to the library; `POST /files/<name>` straight into a file; `GET /files/<name>` straight out of it. */
function main(folder: string): void {
  const tus = new Server({ path: '/tus', datastore: new BareDataStore(folder), respectForwardedHeaders: false });
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { url = '', method } = request;
    if (url.startsWith('/tus')) return tus.handle(request, response);
    const path = join(folder, url.split('/')[2] ?? '');
    if (method === 'GET') return pipeline(createReadStream(path), response);
    await pipeline(request, createWriteStream(path));
    response.end();
  };
  const server = createServer((request, response) => void answer(request, response).catch((error: unknown) => response.destroy(error as Error)));
  server.requestTimeout = 0;
  server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
}

main(process.argv[2] ?? '.');
