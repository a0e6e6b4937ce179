import { newUuid } from '@twinyard/conventions';
import { createHash } from 'node:crypto';
import type { Exchange, Reply } from './platform-stand-in';

interface StandInFile {
  readonly name: string;
  readonly isFolder?: true;
  /** The last is the tip. */
  readonly versions: Map<string, Buffer>;
  readonly parent: string;
  readonly namespaces: readonly string[];
  readonly tags: readonly string[];
  readonly userAttributes?: Readonly<Record<string, unknown>>;
  /** As it was declared. */
  readonly contentType?: string;
}

const ROOT = 'root';

/** The file service in memory, with the manners that runs rely on: the same name in the same folder is a new version. */
export class StandInFiles {
  readonly all = new Map<string, StandInFile>();

  add(id: string, versionId: string, name: string, bytes: Buffer, namespaces: readonly string[] = []): void {
    const versions = this.all.get(id)?.versions ?? new Map<string, Buffer>();
    versions.delete(versionId);
    this.all.set(id, { name, parent: ROOT, namespaces, tags: [], versions: versions.set(versionId, bytes) });
  }

  addFolder(id: string, namespaces: readonly string[]): void {
    this.all.set(id, { name: id, parent: ROOT, namespaces, tags: [], isFolder: true, versions: new Map() });
  }

  get(id: string): StandInFile | undefined {
    return this.all.get(id);
  }

  /** The latest version of a file, by its name. */
  bytesOf(name: string): Buffer | undefined {
    return [...([...this.all.values()].find((file) => file.name === name)?.versions.values() ?? [])].at(-1);
  }

  answer({ expected: { method }, url, body, range }: Exchange): Reply {
    const [id, ...rest] = url.pathname.split('/').slice(5).map(decodeURIComponent);
    if (url.pathname.startsWith('/filesvc/api/v1/content/')) return contentOf([...this.all.values()].find(({ versions }) => versions.has(id ?? ''))?.versions.get(id ?? ''), range);
    if (id === undefined) return method === 'POST' ? this.upload(url, body as Buffer) : this.list(url);
    return this.answerOf(id, rest, url.searchParams.getAll('nsfilter'));
  }

  private answerOf(id: string, [part, wanted, what]: readonly string[], asked: readonly string[]): Reply {
    const file = this.all.get(id);
    if (file === undefined || (file.namespaces.length > 0 && !file.namespaces.some((namespace) => asked.includes(namespace)))) return { status: 404, body: { message: `There is no file "${id}"`, code: 'not_found' } };
    if (part === undefined) return { status: 200, body: shown(id, file) };
    const versionId = part === 'url' ? tipOf(file) : wanted;
    if (versionId === undefined) return { status: 200, body: { _list: versionsOf(file).reverse() } };
    if (!file.versions.has(versionId)) return { status: 404, body: { message: `There is no version "${versionId}"` } };
    if (part === 'versions' && what === undefined) return { status: 200, body: versionsOf(file).find(({ _id }) => _id === versionId) };
    const [version, name] = [versionId, file.name].map(encodeURIComponent);
    return { status: 200, body: { _id: versionId, _url: `https://public.example/filesvc/api/v1/content/${version}/${name}?expires=1&signature=s` } };
  }

  private list({ searchParams }: URL): Reply {
    const pattern = new RegExp(searchParams.get('_name') ?? '');
    const found = [...this.all].filter(([, file]) => !file.isFolder && file.parent === searchParams.get('_parents') && pattern.test(file.name));
    return { status: 200, body: { _list: found.map(([id, file]) => shown(id, file)) } };
  }

  private upload({ searchParams }: URL, message: Buffer): Reply {
    const { contentType, filename, bytes } = partOf(message);
    const [name, parent] = [searchParams.get('_name') ?? filename, searchParams.get('_parents') ?? ROOT];
    const [id, known] = [...this.all].find(([, file]) => file.name === name && file.parent === parent) ?? [`file of ${name}`, undefined];
    const versions = known?.versions.set(newUuid(), bytes) ?? new Map([[`version of ${name}`, bytes]]);
    const attributes = searchParams.get('_userAttributes');
    const userAttributes = attributes === null ? known?.userAttributes : (JSON.parse(attributes) as Record<string, unknown>);
    const file = { name, parent, namespaces: searchParams.getAll('_namespaces'), tags: searchParams.getAll('_tags'), ...(userAttributes && { userAttributes }), contentType, versions };
    this.all.set(id, file);
    return { status: 201, body: [shown(id, file)] };
  }
}

/** All of it, or what is behind a position. */
function contentOf(bytes: Buffer | undefined, range: string | undefined): Reply {
  const [, from] = /^bytes=(\d+)-$/.exec(range ?? '') ?? [];
  if (bytes === undefined || from === undefined) return { status: 200, body: bytes };
  return { status: 206, headers: { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` }, body: bytes.subarray(Number(from)) };
}

const tipOf = ({ versions }: StandInFile) => [...versions.keys()].at(-1);

const shown = (id: string, file: StandInFile) => ({
  _id: id, _name: file.name, _type: file.isFolder ? 'dir' : 'file', _namespaces: file.namespaces, _parents: file.parent === ROOT ? [] : [file.parent], _userAttributes: file.userAttributes ?? {}, ...(!file.isFolder && { _tipId: tipOf(file) }), _tipVersion: file.versions.size,
});

const versionsOf = ({ versions }: StandInFile) =>
  [...versions].map(([_id, bytes], index) => ({ _id, _version: index + 1, _fileSize: bytes.length, _sha256: createHash('sha256').update(bytes).digest('hex') }));

/** Of a multipart message with one part. */
function partOf(message: Buffer): { readonly contentType: string; readonly filename: string; readonly bytes: Buffer } {
  const boundary = message.subarray(0, message.indexOf('\r\n'));
  const headEnd = message.indexOf('\r\n\r\n');
  const head = message.subarray(0, headEnd).toString();
  const bytes = message.subarray(headEnd + 4, message.lastIndexOf(Buffer.concat([Buffer.from('\r\n'), boundary, Buffer.from('--')])));
  return { contentType: /^content-type: (.*)$/im.exec(head)?.[1] ?? '', filename: /filename="([^"]*)"/.exec(head)?.[1] ?? '', bytes };
}
