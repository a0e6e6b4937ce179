import { type Collection, MongoClient } from 'mongodb';
import { onEngine, type OwnEngines, ownEngines } from '@twinyard/testing';

interface Note {
  readonly _id: string;
  readonly round: number;
  readonly owner: string;
  readonly count: number;
}

const ROUNDS = 8;
const WRITERS = 4;

onEngine('mongo', () => {
  describe('the stand-in, killed in the middle of writes', () => {
    let engines: OwnEngines;
    beforeAll(async () => (engines = await ownEngines(['mongo'])));
    afterAll(() => engines?.stop());

    it(`has everything that it has acknowledged, in ${ROUNDS} rounds of kill -9`, async () => {
      const acknowledged = new Map<string, number>();
      for (let round = 0; round < ROUNDS; round++) {
        await withNotes(engines, (notes) => writeUntilKilled(notes, round, acknowledged, () => engines.kill('mongo')));
        await engines.restart('mongo');
        await withNotes(engines, (notes) => expectAll(notes, acknowledged));
      }
      expect(acknowledged.size).toBeGreaterThan(ROUNDS * WRITERS);
    }, 600_000);
  });
});

async function withNotes(engines: OwnEngines, work: (notes: Collection<Note>) => Promise<void>): Promise<void> {
  const client = await MongoClient.connect(engines.settings.MONGO_URL ?? '', { retryWrites: false, serverSelectionTimeoutMS: 15_000 });
  try {
    await work(client.db().collection<Note>('notes'));
  } finally {
    await client.close();
  }
}

/** Every writer inserts, counts up and replaces; the kill comes while they write, after another number of answers in each round. */
async function writeUntilKilled(notes: Collection<Note>, round: number, acknowledged: Map<string, number>, kill: () => Promise<void>): Promise<void> {
  await notes.createIndex({ owner: 1 }, { unique: true });
  const killAfter = 3 + round * 23;
  let answers = 0;
  let killed: Promise<void> | undefined;
  const write = async (writer: number) => {
    for (let number = 0; ; number++) {
      const _id = `${round}-${writer}-${number}`;
      await notes.insertOne({ _id, round, owner: `owner of ${_id}`, count: 0 });
      acknowledged.set(_id, 0);
      await notes.updateOne({ _id }, { $inc: { count: 1 } });
      acknowledged.set(_id, 1);
      await notes.findOneAndReplace({ _id }, { round, owner: `owner of ${_id}`, count: 2 });
      acknowledged.set(_id, 2);
      answers += 3;
      if (answers >= killAfter) killed ??= kill();
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
  expect(ends.map(({ status }) => status)).toEqual(Array(WRITERS).fill('rejected')); // they ended by the kill, not before
  await killed;
}

/** What was acknowledged is the least that is there: a write that was not answered may have happened, once. */
async function expectAll(notes: Collection<Note>, acknowledged: ReadonlyMap<string, number>): Promise<void> {
  const found = new Map((await notes.find().toArray()).map((note) => [note._id, note]));
  const lost = [...acknowledged].filter(([_id, count]) => !((found.get(_id)?.count ?? -1) >= count));
  expect(lost).toEqual([]);
  expect(found.size - acknowledged.size).toBeLessThanOrEqual(WRITERS * ROUNDS);
  for (const [_id, note] of found) expect(await notes.findOne({ owner: note.owner })).toEqual({ ...note, _id });
}
