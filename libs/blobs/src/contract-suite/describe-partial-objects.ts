import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { ObjectNotFound, ObjectTooLarge } from '../port/object-errors';
import type { ObjectStore } from '../port/object-store';
import { NOTHING_RECEIVED, type PartialObject, type PartialTarget } from '../port/partial-object';

class LineIsDead extends Error {}

/** `bytes` from `first` on, in chunks as a socket has them; the line dies before `last`, when that is not the end. */
async function* sent(bytes: Buffer, first: number, last = bytes.length): AsyncGenerator<Buffer> {
  for (let at = first; at < last; at += 65_536) yield bytes.subarray(at, Math.min(at + 65_536, last));
  if (last < bytes.length) throw new LineIsDead();
}

/** The last state that was told, also when the body broke. */
async function append(store: ObjectStore, target: PartialTarget, from: PartialObject, body: AsyncIterable<Buffer>): Promise<PartialObject> {
  let state = from;
  try {
    for await (const told of store.append(target, from, body)) state = JSON.parse(JSON.stringify(told)) as PartialObject;
  } catch (error) {
    if (!(error instanceof LineIsDead)) throw error;
  }
  return state;
}

const read = async (store: ObjectStore, { key }: PartialTarget) => buffer(await store.get(key));
const listed = async (store: ObjectStore, { key }: PartialTarget) => {
  for await (const found of store.list(key)) return found;
  return undefined;
};

/** Objects that come in pieces. */
export function describePartialObjects(theStore: () => ObjectStore): void {
  const bytes = randomBytes(21_000_000);
  const target = (name: string, size = bytes.length) => ({ key: `pieces/${name}`, size });

  it.each([
    ['one after the other', [0, 1, 5_000_000, 5_000_001, 8_388_608, 20_000_000]],
    ['of which each ends at a checkpoint', [0, 8_388_608, 16_777_216]],
    ['that is the whole', [0]],
  ])('makes one of pieces %s, each cut off', async (name, ends) => {
    const made = target(name.replace(/[^a-z]/g, '-'));
    let state = NOTHING_RECEIVED;
    for (const end of ends) {
      state = await append(theStore(), made, state, sent(bytes, state.offset, end));
      expect(state.offset).toBe(end); // what came before the line died is not lost
      await expect(theStore().stat(made.key)).resolves.toBeUndefined();
      await expect(listed(theStore(), made)).resolves.toBeUndefined();
    }
    state = await append(theStore(), made, state, sent(bytes, state.offset));
    await theStore().complete(made, state);
    await theStore().complete(made, state);
    expect((await read(theStore(), made)).equals(bytes)).toBe(true);
    await theStore().sweep(new Date(Date.now() + 60_000));
    expect((await theStore().stat(made.key))?.size).toBe(bytes.length);
  });

  it('begins again from an earlier state, as after a crash that lost the later one', async () => {
    const made = target('earlier');
    const early = await append(theStore(), made, NOTHING_RECEIVED, sent(bytes, 0, 9_000_000));
    await append(theStore(), made, early, sent(randomBytes(21_000_000), 9_000_000, 19_500_000));
    const end = await append(theStore(), made, early, sent(bytes, 9_000_000));
    await theStore().complete(made, end);
    expect((await read(theStore(), made)).equals(bytes)).toBe(true);
  });

  it('tells on the way how far it has come', async () => {
    const made = target('told');
    const states: PartialObject[] = [];
    for await (const state of theStore().append(made, NOTHING_RECEIVED, sent(bytes, 0))) states.push(state);
    const offsets = states.map(({ offset }) => offset);
    expect(offsets.length).toBeGreaterThan(1);
    expect(offsets.at(-1)).toBe(bytes.length);
    expect(offsets).toEqual([...offsets].sort((one, other) => one - other));
    await theStore().abandon(made, states.at(-1) ?? NOTHING_RECEIVED);
  });

  it('makes one of no bytes', async () => {
    const made = target('empty', 0);
    await theStore().complete(made, await append(theStore(), made, NOTHING_RECEIVED, sent(Buffer.alloc(0), 0)));
    expect(await read(theStore(), made)).toHaveLength(0);
  });

  it('takes no more bytes than there are to be', async () => {
    const made = target('long', 100_000);
    await expect(append(theStore(), made, NOTHING_RECEIVED, sent(bytes.subarray(0, 100_001), 0))).rejects.toThrow(ObjectTooLarge);
    await theStore().abandon(made, NOTHING_RECEIVED);
  });

  it('leaves nothing when it is abandoned, twice too, and completes nothing then', async () => {
    const made = target('abandoned');
    await theStore().sweep(new Date(Date.now() + 60_000));
    const state = await append(theStore(), made, NOTHING_RECEIVED, sent(bytes, 0, 9_000_000));
    await theStore().abandon(made, state);
    await theStore().abandon(made, state);
    await expect(theStore().complete(made, { ...state, offset: made.size })).rejects.toThrow(ObjectNotFound);
    await expect(theStore().sweep(new Date(Date.now() + 60_000))).resolves.toBe(0);
  });

  it('is swept when nobody goes on with it', async () => {
    const made = target('forgotten');
    const state = await append(theStore(), made, NOTHING_RECEIVED, sent(bytes, 0, 9_000_000));
    await expect(theStore().sweep(new Date(Date.now() - 60_000))).resolves.toBe(0);
    expect(await theStore().sweep(new Date(Date.now() + 60_000))).toBeGreaterThan(0);
    await expect(theStore().complete(made, { ...state, offset: made.size })).rejects.toThrow();
  });
}
