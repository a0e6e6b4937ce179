import { createTestDatabase, type TestDatabase } from '@twinyard/testing';
import { Column, type DataSource, Entity, PrimaryColumn, type SelectQueryBuilder } from 'typeorm';
import { createDataSource, sliceOf } from '../src';

@Entity('thing')
class Thing {
  @PrimaryColumn('text') place!: string;
  @PrimaryColumn('int') number!: number;
  @Column('text', { name: 'long_name', nullable: true }) longName!: string | null;
  @Column('jsonb') more!: object;
  @Column('timestamptz', { name: 'made_at' }) madeAt!: Date;
  @Column('bigint', { transformer: { from: Number, to: (size: number) => size } }) size!: number;
  @Column({ type: 'bigint', select: false, insert: false, update: false }) readonly position?: string;
}

const MADE = new Date('2026-01-02T03:04:05.678Z');
const THINGS = 7;

describe('a page of a table and the total', () => {
  let database: TestDatabase;
  let source: DataSource;
  beforeAll(async () => {
    database = await createTestDatabase();
    source = await createDataSource({ url: database.url, entities: [Thing], migrations: [] }).initialize();
    await source.query('CREATE TABLE thing (place text, number int, long_name text, more jsonb, made_at timestamptz, size bigint, position bigint NOT NULL, PRIMARY KEY (place, number))');
    // Positions run against the numbers, so that an order by the key would show.
    await source.query(`INSERT INTO thing SELECT 'a', n, CASE n WHEN 3 THEN NULL ELSE 'thing ' || n END, '{"n": 1}', $1, 9007199254740991, ${THINGS} - n FROM generate_series(1, ${THINGS}) n`, [MADE]);
    await source.query(`INSERT INTO thing VALUES ('b', 1, 'elsewhere', '{}', $1, 0, 0)`, [MADE]);
  });
  afterAll(async () => {
    await source?.destroy();
    await database?.drop();
  });

  const inPlace = (place: string): SelectQueryBuilder<Thing> => source.getRepository(Thing).createQueryBuilder('thing').where('thing.place = :place', { place });
  const page = async (query: SelectQueryBuilder<Thing>, offset: number, pageSize: number) => {
    const { rows, total } = await sliceOf(query, { offset, pageSize }, ['position']);
    return { numbers: rows.map(({ number }) => number), total };
  };

  it('are in order, under the conditions, and go on where the page before ended', async () => {
    expect(await page(inPlace('a'), 0, 3)).toEqual({ numbers: [7, 6, 5], total: THINGS });
    expect(await page(inPlace('a'), 3, 3)).toEqual({ numbers: [4, 3, 2], total: THINGS });
    expect(await page(inPlace('a'), 6, 3)).toEqual({ numbers: [1], total: THINGS });
    expect(await page(inPlace('a').andWhere('thing.longName = ANY(:names)', { names: ['thing 2', 'thing 5'] }), 0, 10)).toEqual({ numbers: [5, 2], total: 2 });
  });

  it('are in the other direction where that is asked for, also behind what is in memory at first', async () => {
    const backwards = async (offset: number, pageSize: number) => (await sliceOf(inPlace('a'), { offset, pageSize }, ['position', 'number'], 'DESC')).rows.map(({ number }) => number);
    expect(await backwards(0, 3)).toEqual([1, 2, 3]);
    expect(await backwards(3, 1_000)).toEqual([4, 5, 6, 7]);
  });

  it('has a total also where the page has nothing', async () => {
    expect(await page(inPlace('a'), 100, 3)).toEqual({ numbers: [], total: THINGS });
    expect(await page(inPlace('a'), 0, 0)).toEqual({ numbers: [], total: THINGS });
    expect(await page(inPlace('nowhere'), 0, 3)).toEqual({ numbers: [], total: 0 });
  });

  it('are the same where the page is large, and go without what was deleted meanwhile', async () => {
    expect(await page(inPlace('a'), 2, 1_000)).toEqual({ numbers: [5, 4, 3, 2, 1], total: THINGS });
    expect(await page(inPlace('nowhere'), 0, 1_000)).toEqual({ numbers: [], total: 0 });
    const { rows } = await sliceOf(inPlace('a'), { offset: 0, pageSize: 1_000 }, ['position']);
    expect(rows).toEqual(await inPlace('a').orderBy('thing.position').getMany());
  });

  it.each([10, 1_000])('end where an answer is heavy enough, of %d that were asked for', async (pageSize) => {
    const light = createDataSource({ url: database.url, entities: [Thing], migrations: [], answerBytes: 500 });
    await light.initialize();
    try {
      const query = light.getRepository(Thing).createQueryBuilder('thing').where('thing.place = :place', { place: 'a' });
      const { rows, total, isCut } = await sliceOf(query, { offset: 1, pageSize }, ['position']);
      expect({ numbers: rows.map(({ number }) => number), total, isCut }).toEqual({ numbers: [6, 5, 4, 3], total: THINGS, isCut: true });
      const { rows: last, isCut: isLastCut } = await sliceOf(query.clone(), { offset: THINGS - 1, pageSize }, ['position']);
      expect([last.length, isLastCut]).toEqual([1, false]);
    } finally {
      await light.destroy();
    }
  });

  it('has no more in memory before it is weighed than may be there, however well it is packed, and goes on by keys', async () => {
    // A hundredth of it when it is packed.
    await source.query(`INSERT INTO thing SELECT 'h', n, NULL, jsonb_build_object('text', repeat('x', 12000000)), $1, 0, n FROM generate_series(1, 3) n`, [MADE]);
    const light = await createDataSource({ url: database.url, entities: [Thing], migrations: [], answerBytes: 500 }).initialize();
    try {
      for (const [from, wanted] of [[source, [1, 2, 3]], [light, [1]]] as const) {
        const query = jest.spyOn(from, 'query');
        const { rows, total, isCut } = await sliceOf(from.getRepository(Thing).createQueryBuilder('thing').where('thing.place = :place', { place: 'h' }), { offset: 0, pageSize: 25 }, ['position']);
        const read = await Promise.all(query.mock.results.map(async ({ value }) => ((await value) as { readonly more: unknown }[]).filter(({ more }) => more !== null).length));
        query.mockRestore();
        expect([rows.map(({ number }) => number), total, isCut, Math.max(...read)]).toEqual([wanted, 3, wanted.length < 3, 1]);
      }
    } finally {
      await light.destroy();
      await source.query(`DELETE FROM thing WHERE place = 'h'`);
    }
  });

  it('gives what TypeORM would', async () => {
    const { rows } = await sliceOf(inPlace('a'), { offset: 0, pageSize: 10 }, ['position']);
    expect(rows).toEqual(await inPlace('a').orderBy('thing.position').getMany());
    expect(rows[0]).toBeInstanceOf(Thing);
    expect(rows[4]).toEqual({ place: 'a', number: 3, longName: null, more: { n: 1 }, madeAt: MADE, size: Number.MAX_SAFE_INTEGER });
  });
});
