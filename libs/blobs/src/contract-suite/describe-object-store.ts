import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { ObjectMismatch, ObjectNotFound, ObjectTooLarge } from '../port/object-errors';
import { InvalidObjectKey } from '../port/object-key';
import type { ObjectStat, ObjectStore } from '../port/object-store';
import { describePartialObjects } from './describe-partial-objects';

export interface ObjectStoreUnderTest {
  /** An empty store. */
  readonly store: ObjectStore;
  /** Whether it gives addresses of its own (`presignedGet`). */
  readonly isAddressable?: boolean;
  close(): Promise<void>;
}

/** What every adapter of `ObjectStore` must do. Called from a spec of the adapter; `make` is asked once. */
export function describeObjectStore(name: string, make: () => Promise<ObjectStoreUnderTest>): void {
  describe(`object store: ${name}`, () => {
    let made: ObjectStoreUnderTest;
    const theStore = () => made.store;
    beforeAll(async () => {
      made = await make();
    });
    afterAll(() => made.close());
    describeStoring(theStore);
    describeRefusing(theStore);
    describeReading(theStore);
    describeRemoving(theStore);
    describePartialObjects(theStore);
    describePresigning(theStore, () => made.isAddressable === true);
  });
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const streamOf = (bytes: Buffer) => Readable.from(slices(bytes));
const read = async (store: ObjectStore, key: string) => buffer(await store.get(key));

function* slices(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += 50_000) yield bytes.subarray(at, at + 50_000);
}

async function all(found: AsyncIterable<ObjectStat>): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of found) keys.push(key);
  return keys.sort();
}

function describeStoring(theStore: () => ObjectStore): void {
  it('gives back the bytes that were put, with their size and hash', async () => {
    const bytes = randomBytes(9_000_000);
    await expect(theStore().put('stored/large', streamOf(bytes))).resolves.toEqual({ size: bytes.length, sha256: sha256(bytes) });
    expect((await read(theStore(), 'stored/large')).equals(bytes)).toBe(true);
    await expect(theStore().stat('stored/large')).resolves.toMatchObject({ key: 'stored/large', size: bytes.length });
  });

  it('stores an object of no bytes', async () => {
    await expect(theStore().put('stored/empty', Readable.from([]))).resolves.toEqual({ size: 0, sha256: sha256(Buffer.alloc(0)) });
    expect(await read(theStore(), 'stored/empty')).toHaveLength(0);
  });

  it('stores bytes that are all here, and replaces an object by them', async () => {
    for (const bytes of [Buffer.from('small'), Buffer.alloc(0), randomBytes(200_000)]) {
      await expect(theStore().putBytes('stored/bytes', bytes)).resolves.toEqual({ size: bytes.length, sha256: sha256(bytes) });
      expect((await read(theStore(), 'stored/bytes')).equals(bytes)).toBe(true);
    }
  });

  it('replaces an object, and twenty puts of one key leave one of them whole', async () => {
    const candidates = Array.from({ length: 20 }, (_, index) => Buffer.alloc(200_000, index));
    await Promise.all(candidates.map((bytes) => theStore().put('stored/raced', streamOf(bytes))));
    const left = await read(theStore(), 'stored/raced');
    expect(candidates.some((bytes) => bytes.equals(left))).toBe(true);
    await theStore().put('stored/raced', streamOf(Buffer.from('last')));
    expect((await read(theStore(), 'stored/raced')).toString()).toBe('last');
  });

  it('is ready', async () => {
    await expect(theStore().check()).resolves.toBeUndefined();
  });
}

function describeRefusing(theStore: () => ObjectStore): void {
  it.each([
    ['another size', { size: 7 }, ObjectMismatch],
    ['another hash', { sha256: sha256(Buffer.from('other')) }, ObjectMismatch],
    ['too many bytes', { maxSize: 5 }, ObjectTooLarge],
  ])('keeps what was there when the bytes have %s', async (_fault, expected, error) => {
    await theStore().put('refused/kept', streamOf(Buffer.from('before')));
    await expect(theStore().put('refused/kept', streamOf(Buffer.from('sixsix')), expected)).rejects.toThrow(error);
    await expect(theStore().putBytes('refused/kept', Buffer.from('sixsix'), expected)).rejects.toThrow(error);
    expect((await read(theStore(), 'refused/kept')).toString()).toBe('before');
  });

  it('takes bytes that are what was announced, the hash in capital letters', async () => {
    const bytes = Buffer.from('exact');
    const expected = { size: 5, maxSize: 5, sha256: sha256(bytes).toUpperCase() };
    await expect(theStore().put('refused/not', streamOf(bytes), expected)).resolves.toMatchObject({ size: 5 });
  });

  it('leaves nothing of a stream that breaks', async () => {
    const broken = Readable.from(breaking());
    await expect(theStore().put('refused/broken', broken)).rejects.toThrow('the line is dead');
    await expect(theStore().stat('refused/broken')).resolves.toBeUndefined();
    await expect(all(theStore().list('refused/broken'))).resolves.toEqual([]);
  });

  it('shows nothing of an object until it is whole', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => { release = resolve; });
    const slow = Readable.from((async function* () { yield Buffer.from('first half, '); await held; yield Buffer.from('second half'); })());
    const putting = theStore().put('refused/slow', slow);
    await expect(theStore().stat('refused/slow')).resolves.toBeUndefined();
    release();
    await putting;
    expect((await read(theStore(), 'refused/slow')).toString()).toBe('first half, second half');
  });

  it.each(['', '/', '../escape', 'a/../../b', 'a//b', '/etc/passwd', 'a\\b', 'A', 'a.b', '.', 'a/', 'a\0b', 'a'.repeat(200)])('refuses the key %j', async (key) => {
    await expect(theStore().put(key, streamOf(Buffer.from('x')))).rejects.toThrow(InvalidObjectKey);
    await expect(theStore().get(key)).rejects.toThrow(InvalidObjectKey);
    await expect(theStore().delete(key)).rejects.toThrow(InvalidObjectKey);
  });
}

function* breaking(): Generator<Buffer> {
  yield Buffer.alloc(100_000);
  throw new Error('the line is dead');
}

function describeReading(theStore: () => ObjectStore): void {
  it.each([[0, 0], [0, 999_999], [10, 19], [999_999, 999_999], [65_535, 65_537]])('reads bytes %d to %d alone', async (first, last) => {
    const bytes = Buffer.from(Array.from({ length: 1_000_000 }, (_, index) => index % 251));
    await theStore().put('read/ranged', streamOf(bytes));
    const found = await buffer(await theStore().get('read/ranged', { first, last }));
    expect(found.equals(bytes.subarray(first, last + 1))).toBe(true);
  });

  it('says that there is no such object before any byte', async () => {
    await expect(theStore().get('read/missing')).rejects.toThrow(ObjectNotFound);
    await expect(theStore().stat('read/missing')).resolves.toBeUndefined();
  });

  it('can be left before the end', async () => {
    await theStore().put('read/left', streamOf(Buffer.alloc(2_000_000)));
    const stream = await theStore().get('read/left');
    for await (const chunk of stream) {
      expect((chunk as Buffer).length).toBeGreaterThan(0);
      break;
    }
    expect(stream.destroyed).toBe(true);
  });
}

function describePresigning(theStore: () => ObjectStore, isAddressable: () => boolean): void {
  const answer = { contentType: 'text/plain; charset=utf-8', contentDisposition: `inline; filename="Ma\\"?.txt"; filename*=UTF-8''Ma%C3%9F%27%28%29%2A%21%20%26.txt` };
  const presign = (key: string, more: { readonly contentEncoding?: string } = {}) => theStore().presignedGet(key, { ...answer, ...more }, 60);

  it('gives an address under which the object has the type and name that were asked for, or none', async () => {
    await theStore().put('presigned/plain', streamOf(Buffer.from('0123456789')));
    const address = await presign('presigned/plain');
    expect(address !== undefined).toBe(isAddressable());
    if (address === undefined) return;
    const whole = await fetch(address);
    expect([whole.status, await whole.text()]).toEqual([200, '0123456789']);
    expect(Object.fromEntries(whole.headers)).toMatchObject({ 'content-type': answer.contentType, 'content-disposition': answer.contentDisposition, 'content-length': '10' });
    const part = await fetch(address, { headers: { range: 'bytes=2-4' } });
    expect([part.status, await part.text()]).toEqual([206, '234']);
  });

  it('says the encoding under such an address', async () => {
    await theStore().put('presigned/packed', streamOf(gzipSync('unpacked')));
    const address = await presign('presigned/packed', { contentEncoding: 'gzip' });
    if (address === undefined) return expect(isAddressable()).toBe(false);
    expect(await (await fetch(address)).text()).toBe('unpacked');
  });

  it('gives an address for reading that one object alone', async () => {
    await theStore().put('presigned/other', streamOf(Buffer.from('other')));
    const address = await presign('presigned/plain');
    if (address === undefined) return expect(isAddressable()).toBe(false);
    const other = new URL(address.href.replace('presigned/plain', 'presigned/other'));
    const renamed = new URL(address);
    renamed.searchParams.set('response-content-type', 'text/html');
    for (const changed of [other, renamed]) expect((await fetch(changed)).status).toBe(403);
    expect((await fetch(address, { method: 'DELETE' })).status).toBe(403);
    await theStore().delete('presigned/plain');
    expect((await fetch(address)).status).toBe(404);
  });

  it('refuses an address for what is no key', async () => {
    await expect(presign('../escape')).rejects.toThrow(InvalidObjectKey);
  });
}

function describeRemoving(theStore: () => ObjectStore): void {
  it('deletes, also what is not there', async () => {
    await theStore().put('removed/one', streamOf(Buffer.from('x')));
    await theStore().delete('removed/one');
    await theStore().delete('removed/one');
    await expect(theStore().get('removed/one')).rejects.toThrow(ObjectNotFound);
  });

  it('lists what is there, by prefix', async () => {
    for (const key of ['listed/a', 'listed/b/c', 'listed-not']) await theStore().put(key, streamOf(Buffer.from(key)));
    await expect(all(theStore().list('listed/'))).resolves.toEqual(['listed/a', 'listed/b/c']);
    expect(await all(theStore().list())).toEqual(expect.arrayContaining(['listed-not', 'listed/a']));
  });

  it.each(['007', '0x10', '1e3', 'true', '12345678901234567890'])('lists the key %s as it is, though it looks like something else', async (key) => {
    await theStore().put(key, streamOf(Buffer.from('x')));
    await expect(all(theStore().list(key))).resolves.toEqual([key]);
  });

  it('sweeps no finished object', async () => {
    await theStore().put('removed/finished', streamOf(Buffer.from('x')));
    await theStore().sweep(new Date(Date.now() + 60_000));
    expect((await read(theStore(), 'removed/finished')).toString()).toBe('x');
  });
}
