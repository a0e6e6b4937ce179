import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { eventually } from '@twinyard/testing';
import { openStores } from '../src/blob-stores';
import type { FilesvcSettings } from '../src/config';
import { FilesvcUnderTest } from './filesvc-under-test';
import { asSecondary, Command, PieceByPiece, type StorePlace, Traffic } from './moving-store';

export interface Move {
  readonly from: StorePlace;
  readonly to: StorePlace;
}

const keysIn = async (settings: FilesvcSettings): Promise<string[]> => {
  const found: string[] = [];
  for await (const { key } of (await openStores(settings))[0].store.list()) found.push(key);
  return found.sort();
};

/** The whole way from one store to another, by the steps of docs/operations/moving-blobs.md, with people at work. */
export function describeStoreMove(name: string, makeMove: () => Promise<Move>): void {
  describe(`moving bytes from ${name}`, () => {
    let filesvc: FilesvcUnderTest;
    let move: Move;
    beforeAll(async () => {
      move = await makeMove();
      filesvc = await FilesvcUnderTest.start({ ...move.to, ...asSecondary(move.from) });
    });
    afterAll(() => filesvc?.stop());

    it('loses nothing and brings nothing back, though the copy is killed and people go on working', async () => {
      const old = await filesvc.replica({ ...without(move.to), ...without(asSecondary(move.from)), ...move.from });
      const traffic = new Traffic([old]);
      for (let number = 0; number < 40; number += 1) await traffic.upload(50_000 + number, { lasts: number % 2 === 0 });
      const uploads = await Promise.all([1, 2].map((number) => PieceByPiece.begin(old, `long ${number}.bin`, randomBytes(9_000_000))));
      for (const upload of uploads) await upload.send(old, 4_000_000);
      traffic.start();

      // Step 1: every process knows both, and writes where it wrote.
      const knowing = await filesvc.replica({ ...without(move.to), ...move.from, ...without(asSecondary(move.from)), ...asSecondary(move.to) });
      traffic.moveTo(old, knowing);
      await atWork(traffic);
      traffic.moveTo(knowing);
      await atWork(traffic);
      await old.leave();
      // Step 2: the stores change places; while that is rolled out, some write here and some there.
      const moving = filesvc;
      traffic.moveTo(knowing, moving);
      await atWork(traffic);
      traffic.moveTo(moving);
      await atWork(traffic);
      await knowing.leave();

      // Step 3: the copy, cut off in the middle and begun again.
      const environment = filesvc.environment({});
      const target = filesvc.settingsWith(without(asSecondary(move.from)));
      const source = filesvc.settingsWith({ ...without(move.to), ...without(asSecondary(move.from)), ...move.from });
      // Of a crash long ago, or of a database that was restored: nobody knows it, so it is told and stays where it is.
      await (await openStores(source))[0].store.put('files/nobody', Readable.from([Buffer.from('of no version')]));
      const before = (await keysIn(source)).filter((key) => key !== 'files/nobody');
      const copied = async () => {
        const there = new Set(await keysIn(target));
        return before.filter((key) => there.has(key)).length;
      };
      // So slow that it has most before it however late the test comes to look.
      const killed = new Command('copy-store', environment, '--rate', '0.1');
      await eventually(async () => expect(await copied()).toBeGreaterThan(5));
      killed.kill();
      expect(await killed.ended()).toMatchObject({ code: null });
      expect(await copied()).toBeLessThan(before.length - 5);
      await uploads[0]?.send(moving, 5_000_000);
      const again = await new Command('copy-store', environment).ended();
      expect([again.code, again.lines.at(-1)]).toEqual([3, expect.objectContaining({ missing: 0, damaged: 0, unfinished: expect.objectContaining({ count: 1 }) })]);
      await uploads[1]?.send(moving, 5_000_000);
      const last = await new Command('copy-store', environment).ended();
      expect([last.code, last.lines.at(-1)]).toEqual([0, expect.objectContaining({ copied: 1, missing: 0, damaged: 0, leftBehind: 1, unfinished: { count: 0, until: null } })]);
      expect(last.lines).toContainEqual({ leftBehind: 'files/nobody' });
      expect(await keysIn(source)).toContain('files/nobody');
      await atWork(traffic);

      // Step 4: the second store is forgotten.
      const alone = await filesvc.replica(without(asSecondary(move.from)));
      traffic.moveTo(alone);
      await atWork(traffic);
      await traffic.stop();
      await alone.sweep(new Date(Date.now() + 90_000_000));
      for (const { file, bytes } of uploads) traffic.kept.set(file._id, { file, bytes });
      await traffic.requireAll(alone);
      const held = await filesvc.query<{ blob_key: string }>('SELECT blob_key FROM file_version');
      expect(await keysIn(target)).toEqual(held.map(({ blob_key: key }) => key).sort());
      const checked = await new Command('scrub', filesvc.environment(without(asSecondary(move.from)))).ended();
      expect([checked.code, checked.lines.at(-1)]).toEqual([0, { versions: held.length, blobs: held.length, missing: 0, damaged: 0, orphaned: 0, unfinished: 0 }]);
      expect(traffic.deleted.length).toBeGreaterThan(5);
    }, 600_000);
  });
}

const without = (place: StorePlace): StorePlace => Object.fromEntries(Object.keys(place).filter((name) => !/_(REGION|PATH_STYLE)$/.test(name)).map((name) => [name, undefined])) as StorePlace;

async function atWork(traffic: Traffic): Promise<void> {
  const before = traffic.rounds;
  const gone = await eventually(() => traffic.failure !== undefined || traffic.rounds > before);
  if (gone && traffic.failure !== undefined) throw traffic.failure;
}
