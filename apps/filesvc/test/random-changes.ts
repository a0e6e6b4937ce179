import { createHash } from 'node:crypto';
import { FILES, type FileBody, type FilesvcUnderTest, NS } from './filesvc-under-test';

/** Numbers below one from a seed (mulberry32), so that what was found can be asked for again. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export class Choice {
  constructor(readonly random: () => number) {}

  of<T>(values: readonly T[]): T {
    return values[Math.floor(this.random() * values.length)] as T;
  }
}

/** So few that they meet all the time. */
const NAMES = ['a', 'b', 'c', 'd'];
/** A change that comes too late, or that another was before, is refused by one of these; none is a fault of the service. */
const REFUSALS = [400, 404, 409, 423];

export interface Outcome {
  readonly change: string;
  readonly status: number;
}

type Change = (from: FilesvcUnderTest, choice: Choice, known: readonly FileBody[]) => Promise<{ readonly status: number }>;

const idOf = (choice: Choice, known: readonly FileBody[]) => (known.length > 0 ? choice.of(known)._id : 'none');
const placeOf = (choice: Choice, known: readonly FileBody[]) => {
  const folders = known.filter(({ _type }) => _type === 'dir');
  return folders.length > 0 && choice.random() < 0.8 ? { _parents: choice.of(folders)._id } : {};
};
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

async function uploadInPieces(from: FilesvcUnderTest, choice: Choice, known: readonly FileBody[]): Promise<{ readonly status: number }> {
  const text = `pieces ${choice.random()}`;
  const body = { _name: choice.of(NAMES), _namespaces: [NS], ...placeOf(choice, known), _uploadMeta: { _size: text.length, _checksum: sha256(text) } };
  const begun = await from.as('owner', 'post', FILES, { uploadType: 'resumable' }).send(body);
  if (begun.status !== 200) return begun;
  return fetch(`${from.url}${FILES}/${(begun.body as FileBody)._id}?uploadType=resumable&checksum=${sha256(text)}&nsfilter=${NS}`, {
    method: 'PATCH', body: text, headers: { authorization: `Bearer ${from.tokenOf('owner')}`, 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' },
  });
}

const CHANGES: Readonly<Record<string, Change>> = {
  upload: (from, choice, known) => from.as('owner', 'post', FILES, { _namespaces: NS, ...placeOf(choice, known) }).attach('file', Buffer.from('x'), choice.of(NAMES)).attach('file', Buffer.from('y'), choice.of(NAMES)),
  'upload in pieces': uploadInPieces,
  'make a folder': (from, choice, known) => from.as('owner', 'post', FILES, { _namespaces: NS, _name: choice.of(NAMES), ...placeOf(choice, known) }),
  rename: (from, choice, known) => from.as('owner', 'put', `${FILES}/${idOf(choice, known)}`).send({ _name: choice.of(NAMES) }),
  move: (from, choice, known) => from.as('owner', 'put', `${FILES}/${idOf(choice, known)}`).send({ _name: choice.of(NAMES), _parents: [placeOf(choice, known)._parents ?? 'root'] }),
  'send a record back': (from, choice, known) => {
    const file = known.length > 0 ? choice.of(known) : undefined;
    return from.as('owner', 'put', `${FILES}/${file?._id ?? 'none'}`).send({ ...file, _tags: ['changed'] });
  },
  delete: (from, choice, known) => from.as('owner', 'delete', `${FILES}/${idOf(choice, known)}`),
  'delete some': (from, choice, known) => from.as('owner', 'delete', FILES).send([idOf(choice, known), idOf(choice, known), idOf(choice, known)]),
  'delete a version': (from, choice, known) => {
    const file = known.length > 0 ? choice.of(known) : undefined;
    return from.as('owner', 'delete', `${FILES}/${file?._id ?? 'none'}/versions/${file?._tipId ?? 'none'}`);
  },
};

/** What to do next: makes more than it takes away, so that there is something to fight for. */
const WEIGHTED = ['upload', 'upload', 'upload in pieces', 'make a folder', 'make a folder', 'rename', 'move', 'move', 'send a record back', 'delete', 'delete some', 'delete a version'];

/** So many changes at once, on this and that process; each is of what was there when they began. */
export async function changeAtOnce(processes: readonly FilesvcUnderTest[], choice: Choice, count: number): Promise<Outcome[]> {
  const known = (await (processes[0] as FilesvcUnderTest).list({ _pageSize: 200 }))._list;
  return Promise.all(Array.from({ length: count }, async () => {
    const change = choice.of(WEIGHTED);
    const { status } = await (CHANGES[change] as Change)(choice.of(processes), choice, known);
    return { change, status };
  }));
}

export const faultsOf = (outcomes: readonly Outcome[]) => outcomes.filter(({ status }) => status >= 300 && !REFUSALS.includes(status));
