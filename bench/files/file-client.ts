import { Readable } from 'node:stream';
import { Pool } from 'undici';

export interface Project {
  readonly token: string;
  readonly namespace: string;
}

interface Sent {
  readonly body?: string | Buffer | Readable;
  readonly headers?: Readonly<Record<string, string>>;
  readonly token?: string;
}

const FILES = '/filesvc/api/v1/files';
const BOUNDARY = 'bench-edge';

export interface FileRecord {
  readonly _id: string;
  readonly _tipId: string;
}

/** Files over HTTP at one address, on a fixed number of connections. */
export class FileClient {
  private readonly pool: Pool;

  constructor(origin: string, private readonly project: Project, connections: number) {
    this.pool = new Pool(origin, { connections, pipelining: 1, headersTimeout: 600_000, bodyTimeout: 600_000 });
  }

  /** A list's answer, read. */
  async list(query: string, token: string): Promise<{ readonly _total: number; readonly _list: readonly FileRecord[] }> {
    return this.ask('GET', this.path('', query), { token });
  }

  /** The text of the answer, as it came. */
  async get(id: string, sub = ''): Promise<string> {
    return this.send('GET', this.path(`/${id}${sub}`));
  }

  async makeFolder(name: string): Promise<FileRecord> {
    return this.ask('POST', this.path('', `&_name=${encodeURIComponent(name)}&_namespaces=${this.project.namespace}`));
  }

  /** Files of one request, each of a part. */
  async upload(folder: string, files: readonly { readonly name: string; readonly content: Buffer }[]): Promise<readonly FileRecord[]> {
    const parts = files.flatMap(({ name, content }) => [Buffer.from(partHead(name)), content, Buffer.from('\r\n')]);
    return this.ask('POST', this.uploadPath(folder), { body: Buffer.concat([...parts, Buffer.from(TAIL)]), headers: MULTIPART });
  }

  /** One large part, as it comes. */
  async uploadStream(folder: string, name: string, content: AsyncIterable<Buffer>, size: number): Promise<FileRecord> {
    const [head, tail] = [Buffer.from(partHead(name)), Buffer.from(`\r\n${TAIL}`)];
    const body = readableOf(head, content, tail);
    const [made] = await this.ask<FileRecord[]>('POST', this.uploadPath(folder), { body, headers: { ...MULTIPART, 'content-length': String(head.length + size + tail.length) } });
    return made as FileRecord;
  }

  /** By one PATCH. */
  async uploadResumable(folder: string, name: string, { content, size, checksum }: { readonly content: AsyncIterable<Buffer>; readonly size: number; readonly checksum: string }): Promise<FileRecord> {
    const draft = { _name: name, _namespaces: [this.project.namespace], _parents: [folder], _uploadMeta: { _size: size, _checksum: checksum } };
    const begun = await this.ask<FileRecord>('POST', this.path('', '&uploadType=resumable'), { body: JSON.stringify(draft), headers: { 'content-type': 'application/json' } });
    const headers = { 'content-type': 'application/offset+octet-stream', 'tus-resumable': '1.0.0', 'upload-offset': '0', 'content-length': String(size) };
    await this.send('PATCH', this.path(`/${begun._id}`, '&uploadType=resumable'), { body: readableOf(content), headers });
    return begun;
  }

  /** Where the content is, below the origin. */
  async address(id: string): Promise<string> {
    const { pathname, search } = new URL((await this.ask<{ _url: string }>('GET', this.path(`/${id}/url`)))._url);
    return pathname + search;
  }

  /** Reads an address to its end; the number of bytes. */
  async download(address: string): Promise<number> {
    const { statusCode, body } = await this.pool.request({ method: 'GET', path: address });
    let size = 0;
    for await (const chunk of body) size += (chunk as Buffer).length;
    if (statusCode !== 200) throw new Error(`GET ${address} answered ${statusCode}`);
    return size;
  }

  async move(id: string, name: string, parentId: string | undefined): Promise<void> {
    const body = JSON.stringify({ _name: name, _parents: parentId === undefined ? [] : [parentId] });
    await this.send('PUT', this.path(`/${id}`), { body, headers: { 'content-type': 'application/json' } });
  }

  async remove(id: string): Promise<void> {
    await this.send('DELETE', this.path(`/${id}`));
  }

  async close(): Promise<void> {
    await this.pool.close();
  }

  private path(sub: string, query = ''): string {
    return `${FILES}${sub}?nsfilter=${this.project.namespace}${query}`;
  }

  private uploadPath(folder: string): string {
    return this.path('', `&_namespaces=${this.project.namespace}&_parents=${folder}`);
  }

  private async ask<T>(method: 'GET' | 'POST', path: string, sent: Sent = {}): Promise<T> {
    return JSON.parse(await this.send(method, path, sent)) as T;
  }

  private async send(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, { body, headers, token = this.project.token }: Sent = {}): Promise<string> {
    const answer = await this.pool.request({ method, path, headers: { authorization: `Bearer ${token}`, ...headers }, ...(body !== undefined && { body }) });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${method} ${path} answered ${answer.statusCode}: ${text.slice(0, 300)}`);
    return text;
  }
}

const MULTIPART = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
const TAIL = `--${BOUNDARY}--\r\n`;
const partHead = (name: string) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: application/octet-stream\r\n\r\n`;

function readableOf(...pieces: readonly (Buffer | AsyncIterable<Buffer>)[]): Readable {
  return Readable.from(
    (async function* () {
      for (const piece of pieces) {
        if (Buffer.isBuffer(piece)) yield piece;
        else yield* piece;
      }
    })(),
    { objectMode: false },
  );
}
