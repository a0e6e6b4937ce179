import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { createTestDatabase, type TestDatabase } from '@twinyard/testing';
import { Client } from 'pg';
import { PostgresDocumentStore } from '../src';
import { fillWithReadings } from './filled-readings';
import { type PipelinesSeen, TARGET } from './five-million-readings';

const MANY = 5_000_000;
/** Of 2020, by the minute. */
const YEAR = 366 * 24 * 60;
const MB = 1024 ** 2;
const PROGRAM = resolve(__dirname, '../../../dist/libs/documents/test/five-million-readings.js');
const onLinux = existsSync('/proc/self/status') ? describe : describe.skip;

onLinux('pipelines over five million readings, in a heap of 256 MB (where there is /proc)', () => {
  let database: TestDatabase;
  let seen: PipelinesSeen;
  beforeAll(async () => {
    database = await createTestDatabase();
    await (await PostgresDocumentStore.open({ url: database.url })).close();
    const client = new Client({ connectionString: database.url });
    await client.connect();
    await fillWithReadings(client, { collection: TARGET.name, part: TARGET.partition, item: 'a' }, MANY);
    await client.query('vacuum analyze document_readings');
    await client.end();
    seen = JSON.parse(execFileSync(process.execPath, ['--max-old-space-size=256', PROGRAM, database.url], { encoding: 'utf8' })) as PipelinesSeen;
    process.stdout.write(`peak ${Math.round(seen.peakBytes / MB)} MB; ${Object.entries(seen.answers).map(([name, { ms }]) => `${name} ${ms} ms`).join(', ')}\n`);
  }, 900_000);
  afterAll(() => database?.drop());

  it('count them', () => {
    expect(seen.answers['count']).toMatchObject({ answer: [{ n: MANY }] });
  });

  it('compute over a year by the minute', () => {
    expect(seen.answers['year']).toMatchObject({ answer: [{ _id: null, mean: 5.5, high: (3 * YEAR) / 10 }] });
  });

  it('sort a year by the minute, which is more than memory is to hold', () => {
    const [first, last] = ['2020-01-01T00:09:00.000Z', '2020-12-31T23:50:00.000Z'];
    expect(seen.answers['sorted']).toMatchObject({ answer: [{ _id: null, n: YEAR, most: 18, first, least: 0, last }] });
  });

  it('compute over all of them, where they have the time', () => {
    expect(seen.answers['all']).toMatchObject({ answer: [{ _id: 0, count: (3 * MANY) / 10 }, { _id: 3, count: (7 * MANY) / 10 }] });
  });

  it('take no more memory than some thousand of them need', () => {
    expect(seen.peakBytes).toBeLessThan(400 * MB);
  });
});
