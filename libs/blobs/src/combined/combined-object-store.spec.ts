import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describeObjectStore } from '../contract-suite/describe-object-store';
import { FolderObjectStore } from '../folder/folder-object-store.adapter';
import { ObjectNotFound } from '../port/object-errors';
import type { ObjectStore } from '../port/object-store';
import { NOTHING_RECEIVED, type PartialObject, type PartialTarget } from '../port/partial-object';
import { CombinedObjectStore } from './combined-object-store';

async function twoFolders() {
  const folder = await mkdtemp(join(tmpdir(), 'twinyard-combined-'));
  const old = { name: 'old', store: await FolderObjectStore.open(join(folder, 'old')) };
  const young = { name: 'young', store: await FolderObjectStore.open(join(folder, 'young')) };
  return { old, young, close: () => rm(folder, { recursive: true, force: true }) };
}

describeObjectStore('two stores as one', async () => {
  const { old, young, close } = await twoFolders();
  return { store: new CombinedObjectStore([young, old]), close };
});

describe('two stores as one', () => {
  let folders: Awaited<ReturnType<typeof twoFolders>>;
  /** As they are before and after the switch-over: both kinds of processes run at once while it is rolled out. */
  let before: CombinedObjectStore;
  let after: CombinedObjectStore;
  beforeEach(async () => {
    folders = await twoFolders();
    before = new CombinedObjectStore([folders.old, folders.young]);
    after = new CombinedObjectStore([folders.young, folders.old]);
  });
  afterEach(() => folders.close());

  const put = (store: ObjectStore, key: string, content: string) => store.put(key, Readable.from([Buffer.from(content)]));
  const keys = async (store: ObjectStore) => {
    const found: string[] = [];
    for await (const { key } of store.list()) found.push(key);
    return found.sort();
  };
  const append = async (store: ObjectStore, target: PartialTarget, from: PartialObject, bytes: Buffer) => {
    let state = from;
    for await (const told of store.append(target, from, Readable.from([bytes]))) state = JSON.parse(JSON.stringify(told)) as PartialObject;
    return state;
  };

  it('write to the first and read from both, in either order', async () => {
    await put(before, 'a', 'by one');
    await put(after, 'b', 'by the other');
    expect([await keys(folders.old.store), await keys(folders.young.store)]).toEqual([['a'], ['b']]);
    for (const store of [before, after]) {
      expect([await text(await store.get('a')), await text(await store.get('b', { first: 3, last: 5 }))]).toEqual(['by one', 'the']);
      expect([(await store.stat('a'))?.size, (await store.stat('b'))?.size]).toEqual([6, 12]);
      expect(await keys(store)).toEqual(['a', 'b']);
    }
  });

  it('list and delete an object once that is in both', async () => {
    await put(folders.old.store, 'a', 'copied');
    await put(folders.young.store, 'a', 'copied');
    expect(await keys(after)).toEqual(['a']);
    await after.delete('a');
    await expect(after.get('a')).rejects.toThrow(ObjectNotFound);
    expect([await keys(folders.old.store), await keys(folders.young.store)]).toEqual([[], []]);
  });

  it('go on with what comes in pieces where it began, whichever process goes on', async () => {
    const bytes = randomBytes(300_000);
    const target = { key: 'pieces', size: bytes.length };
    let state = await append(before, target, NOTHING_RECEIVED, bytes.subarray(0, 100_000));
    state = await append(after, target, state, bytes.subarray(100_000, 200_000));
    state = await append(before, target, state, bytes.subarray(200_000));
    await after.complete(target, state);
    expect((await folders.old.store.stat('pieces'))?.size).toBe(bytes.length);
    expect(await folders.young.store.stat('pieces')).toBeUndefined();
  });

  it('finish what began before there were two, and give it up where it lies', async () => {
    const alone = new CombinedObjectStore([folders.old]);
    const target = { key: 'pieces', size: 10 };
    const state = await append(alone, target, NOTHING_RECEIVED, Buffer.alloc(5));
    await after.abandon(target, state);
    await expect(folders.old.store.sweep(new Date(Date.now() + 60_000))).resolves.toBe(0);
    const again = await append(after, target, await append(alone, target, NOTHING_RECEIVED, Buffer.alloc(5)), Buffer.alloc(5));
    await alone.complete(target, again);
    expect((await folders.old.store.stat('pieces'))?.size).toBe(10);
  });

  it('sweep both', async () => {
    for (const store of [before, after]) await append(store, { key: 'left', size: 10 }, NOTHING_RECEIVED, Buffer.alloc(5));
    await expect(after.sweep(new Date(Date.now() + 60_000))).resolves.toBe(2);
  });

  it('are ready when both are', async () => {
    await after.check();
    await folders.close();
    await expect(after.check()).rejects.toThrow();
  });
});
