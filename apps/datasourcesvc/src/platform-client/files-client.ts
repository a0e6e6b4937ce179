import { PlatformError } from './platform-error';
import { type PlatformHttp, type SentStream, STREAM_TIMEOUT_MS } from './http/platform-http';
import { allOf } from './http/received';

const FILES = '/filesvc/api/v1/files';

export interface FileRecord {
  readonly _id: string;
  readonly _name: string;
  readonly _type: string;
  readonly _namespaces: readonly string[];
  readonly _tipId: string;
  readonly _tipVersion: number;
}

export interface FileVersionRecord {
  readonly _id: string;
  readonly _version: number;
  readonly _fileSize: number;
  /** Hex. */
  readonly _sha256: string;
}

/** Where a file goes. */
export interface FilePlace {
  readonly name: string;
  /** The folder; the root without it. */
  readonly parentId: string | undefined;
  readonly namespaces: readonly string[];
  readonly tags: readonly string[];
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
    const tooMany = () => new PlatformError(`The file is larger than the ${Math.floor(maxBytes / 1_048_576)} MB that can be read`);
    return this.http.retrying(async () => allOf(this.http.bytes(await this.open(fileId, versionId)), maxBytes, tooMany));
  }

  /**
   * Gives `read` the bytes as they come, from the first again when the connection breaks: what it does it must be able to do twice. It may take as long as it
   * likes, and the line may break as often, while each time some bytes come that have not come before.
   */
  readThrough<T>(fileId: string, versionId: string, read: (bytes: AsyncIterable<Uint8Array>) => Promise<T>): Promise<T> {
    let furthest = 0;
    return this.http.retrying(async (onward) => {
      const bytes = this.http.bytes(await this.open(fileId, versionId));
      return read(passing(bytes, (position) => {
        if (position <= furthest) return;
        furthest = position;
        onward();
      }));
    });
  }

  /** The file of that name in a folder, as far as the run may read it. */
  async findByName({ name, parentId }: Pick<FilePlace, 'name' | 'parentId'>): Promise<FileRecord | undefined> {
    const pattern = `^${name.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&')}$`;
    const page = (await this.http.json('filesvc', { method: 'GET', path: this.path('', { _parents: parentId ?? 'root', _name: pattern, _type: 'file' }) })) as { readonly _list: readonly FileRecord[] };
    return page._list.find((file) => file._name === name.normalize('NFC'));
  }

  /** The newest first, a page of them. */
  async versions(fileId: string): Promise<readonly FileVersionRecord[]> {
    return ((await this.http.json('filesvc', { method: 'GET', path: this.path(`/${encodeURIComponent(fileId)}/versions`) })) as { readonly _list: readonly FileVersionRecord[] })._list;
  }

  /** One try: an answer that was lost may have made the version, so the caller looks before it tries again. A file of that name gets a new version. `content` is a message of one part. */
  async tryUpload({ name, parentId, namespaces, tags }: FilePlace, content: SentStream): Promise<FileRecord> {
    const path = this.path('', { _name: name, ...(parentId !== undefined && { _parents: parentId }), _namespaces: namespaces, _tags: tags });
    const response = await this.http.send('filesvc', { method: 'POST', path, stream: content, timeoutMs: STREAM_TIMEOUT_MS });
    return (JSON.parse(await this.http.text(response)) as readonly FileRecord[])[0] as FileRecord;
  }

  /** For work that must look before it tries again. */
  retrying<T>(work: (onward: () => void) => Promise<T>): Promise<T> {
    return this.http.retrying(work);
  }

  private async open(fileId: string, versionId: string): Promise<Response> {
    const path = this.path(`/${encodeURIComponent(fileId)}/versions/${encodeURIComponent(versionId)}/url`);
    const { _url } = JSON.parse(await this.http.text(await this.http.send('filesvc', { method: 'GET', path }))) as { _url: string };
    return this.http.sendSigned('filesvc', _url);
  }

  private path(path: string, parameters: Readonly<Record<string, string | readonly string[]>> = {}): string {
    const query = new URLSearchParams(this.namespaces.map((namespace): [string, string] => ['nsfilter', namespace]));
    for (const [name, values] of Object.entries(parameters)) for (const value of [values].flat()) query.append(name, value);
    return `${FILES}${path}?${query}`;
  }
}

async function* passing(bytes: AsyncIterable<Uint8Array>, tell: (position: number) => void): AsyncGenerator<Uint8Array> {
  let position = 0;
  for await (const chunk of bytes) {
    position += chunk.byteLength;
    tell(position);
    yield chunk;
  }
}
