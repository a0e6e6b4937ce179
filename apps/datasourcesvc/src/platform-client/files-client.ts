import { newUuid, tooLarge } from '@twinyard/conventions';
import { sendGrowing } from './files/growing-file';
import { oneFileMessage } from './files/one-file-message';
import { resumedBytes } from './files/resumed-bytes';
import { type PlatformHttp, type PlatformRequest, type SentStream, STREAM_TIMEOUT_MS } from './http/platform-http';
import { allOf } from './http/received';

const FILES = '/filesvc/api/v1/files';

export interface FileRecord {
  readonly _id: string;
  readonly _name: string;
  readonly _type: string;
  readonly _namespaces: readonly string[];
  /** The folder; none at the root. */
  readonly _parents: readonly string[];
  readonly _userAttributes: Readonly<Record<string, unknown>>;
  readonly _tipId: string;
  readonly _tipVersion: number;
}

export interface FileVersionRecord {
  readonly _id: string;
  readonly _version: number;
  /** As stored, like the checksum. */
  readonly _fileSize: number;
  /** Hex. */
  readonly _sha256: string;
  /** With which it is stored packed. */
  readonly _contentEncoding?: string;
}

/** Where a file goes. */
export interface FilePlace {
  readonly name: string;
  /** The folder; the root without it. */
  readonly parentId: string | undefined;
  readonly namespaces: readonly string[];
  readonly tags: readonly string[];
  readonly userAttributes?: Readonly<Record<string, string>>;
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
    return this.http.retrying(async () => allOf(this.http.bytes(await this.open(fileId, versionId)), maxBytes, () => tooLargeToRead(maxBytes)));
  }

  /** The bytes of a version that has at most `maxBytes`, as they are asked for, however long their reader takes. */
  async *readSlowly(fileId: string, versionId: string, maxBytes: number): AsyncGenerator<Uint8Array, void> {
    let left = maxBytes;
    const open = async (from: number) => {
      const response = await this.open(fileId, versionId, from);
      if (from > 0 || !(Number(response.headers.get('content-length')) > maxBytes)) return response;
      await response.body?.cancel();
      throw tooLargeToRead(maxBytes);
    };
    for await (const chunk of resumedBytes(this.http, open)) {
      left -= chunk.byteLength;
      if (left < 0) throw tooLargeToRead(maxBytes);
      yield chunk;
    }
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

  async version(fileId: string, versionId: string): Promise<FileVersionRecord> {
    return (await this.http.json('filesvc', { method: 'GET', path: this.path(`/${encodeURIComponent(fileId)}/versions/${encodeURIComponent(versionId)}`) })) as FileVersionRecord;
  }

  /** The newest first, a page of them. */
  async versions(fileId: string): Promise<readonly FileVersionRecord[]> {
    return ((await this.http.json('filesvc', { method: 'GET', path: this.path(`/${encodeURIComponent(fileId)}/versions`) })) as { readonly _list: readonly FileVersionRecord[] })._list;
  }

  /** One try: an answer that was lost may have made the version, so the caller looks before it tries again. A file of that name gets a new version. `content` is a message of one part. */
  async tryUpload(place: FilePlace, content: SentStream): Promise<FileRecord> {
    return this.uploaded({ method: 'POST', path: this.pathOf(place), stream: content, timeoutMs: STREAM_TIMEOUT_MS });
  }

  /** Of bytes that are made meanwhile, and whose maker takes as long as it likes. A file of that name gets a new version, where the bytes come to their end. */
  uploadGrowing(place: FilePlace, contentType: string, bytes: AsyncIterable<Uint8Array>): Promise<FileRecord> {
    return sendGrowing(bytes, contentType, {
      whole: (content) => this.upload(place, contentType, content),
      stream: (content) => this.tryUpload(place, content),
    });
  }

  private upload(place: FilePlace, contentType: string, content: Uint8Array): Promise<FileRecord> {
    const { head, tail, contentType: type } = oneFileMessage(contentType);
    const request = { method: 'POST', path: this.pathOf(place), body: Buffer.concat([head, content, tail]), headers: { 'content-type': type }, idempotencyKey: newUuid() } as const;
    return this.http.retrying(() => this.uploaded(request));
  }

  private async uploaded(request: PlatformRequest): Promise<FileRecord> {
    return (JSON.parse(await this.http.text(await this.http.send('filesvc', request))) as readonly FileRecord[])[0] as FileRecord;
  }

  /** For work that must look before it tries again. */
  retrying<T>(work: (onward: () => void) => Promise<T>): Promise<T> {
    return this.http.retrying(work);
  }

  private async open(fileId: string, versionId: string, from = 0): Promise<Response> {
    const path = this.path(`/${encodeURIComponent(fileId)}/versions/${encodeURIComponent(versionId)}/url`);
    const { _url } = JSON.parse(await this.http.text(await this.http.send('filesvc', { method: 'GET', path }))) as { _url: string };
    return this.http.sendSigned('filesvc', _url, from > 0 ? { range: `bytes=${from}-` } : {});
  }

  private pathOf({ name, parentId, namespaces, tags, userAttributes }: FilePlace): string {
    const attributes = userAttributes && { _userAttributes: JSON.stringify(userAttributes) };
    return this.path('', { _name: name, ...(parentId !== undefined && { _parents: parentId }), _namespaces: namespaces, _tags: tags, ...attributes });
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

export const tooLargeToRead = (maxBytes: number) => tooLarge(`The file is larger than the ${Math.floor(maxBytes / 1_048_576)} MB that can be read`);
