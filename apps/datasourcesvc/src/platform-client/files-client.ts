import { PlatformError } from './platform-error';
import { type PlatformHttp, received } from './platform-http';

const FILES = '/filesvc/api/v1/files';

export interface FileRecord {
  readonly _id: string;
  readonly _name: string;
  readonly _type: string;
  readonly _tipId: string;
}

/** filesvc's public API, as far as components need it. */
export class FilesClient {
  constructor(
    private readonly http: PlatformHttp,
    private readonly namespaces: readonly string[],
  ) {}

  async get(fileId: string): Promise<FileRecord> {
    return (await this.http.json('filesvc', { method: 'GET', path: this.path(`/${encodeURIComponent(fileId)}`) })) as FileRecord;
  }

  /** The bytes of a version that has at most `maxBytes`. */
  download(fileId: string, versionId: string, maxBytes: number): Promise<Uint8Array> {
    return this.http.retrying(async () => {
      const response = await this.open(fileId, versionId);
      const chunks: Uint8Array[] = [];
      let size = 0;
      for await (const chunk of this.stream(response)) {
        size += chunk.byteLength;
        if (size > maxBytes) throw new PlatformError(`The file is larger than the ${Math.floor(maxBytes / 1_048_576)} MB that can be read`);
        chunks.push(chunk);
      }
      return Buffer.concat(chunks);
    });
  }

  /** Gives `read` the bytes as they come, from the first again when the connection breaks: what it does it must be able to do twice. */
  readThrough<T>(fileId: string, versionId: string, read: (bytes: AsyncIterable<Uint8Array>) => Promise<T>): Promise<T> {
    return this.http.retrying(async () => read(this.stream(await this.open(fileId, versionId))));
  }

  private async open(fileId: string, versionId: string): Promise<Response> {
    const path = this.path(`/${encodeURIComponent(fileId)}/versions/${encodeURIComponent(versionId)}/url`);
    const { _url } = JSON.parse(await this.http.text(await this.http.send('filesvc', { method: 'GET', path }))) as { _url: string };
    return this.http.sendSigned('filesvc', _url);
  }

  private async *stream(response: Response): AsyncGenerator<Uint8Array> {
    if (response.body === null) return;
    const reader = response.body.getReader();
    try {
      for (;;) {
        const { done, value } = await received(reader.read());
        if (done) return;
        this.http.took(value.byteLength);
        yield value;
      }
    } finally {
      await reader.cancel().catch(() => undefined);
    }
  }

  private path(path: string): string {
    return `${FILES}${path}?${new URLSearchParams(this.namespaces.map((namespace): [string, string] => ['nsfilter', namespace]))}`;
  }
}
