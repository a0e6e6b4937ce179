import { once } from 'node:events';
import { createMongoDatabase, engineSettings, eventually, onEngine } from '@twinyard/testing';
import { createDataSource, MongoConnection } from '../src';

const STANDSTILL_MS = 5_500;
const NUMBERS = [1, 2, 3];

/** As a machine does that is moved, or has others to serve: clocks go on, and what has come is looked at afterwards. */
function standStill(): void {
  const until = performance.now() + STANDSTILL_MS;
  while (performance.now() < until);
}

onEngine('postgres', () => {
  it('connections that are asked for right before the process stands still for some seconds are there when it goes on', async () => {
    const database = await createDataSource({ url: engineSettings('postgres')['POSTGRES_URL'] ?? '', entities: [], migrations: [] }).initialize();
    const answers = Promise.all(NUMBERS.map((n) => database.query<{ n: number }[]>('SELECT $1::int AS n', [n])));
    standStill();
    expect(await answers.finally(() => database.destroy())).toEqual(NUMBERS.map((n) => [{ n }]));
  });
});

onEngine('mongo', () => {
  it('what MongoDB was asked for before it stood still for some seconds is done when it goes on', async () => {
    const database = await createMongoDatabase();
    const url = new URL(database.settings['MONGO_URL'] ?? '');
    // The driver's look at the server falls into the time in which it stands still.
    url.searchParams.set('heartbeatFrequencyMS', '500');
    const connection = await MongoConnection.open({ url: url.href, allowStandalone: true });
    const goOn = database.silence();
    const written = connection.db.collection<{ _id: number }>('numbers').insertOne({ _id: 1 });
    written.catch(() => undefined); // it is looked at below
    await once(connection.client, 'serverHeartbeatStarted');
    const until = Date.now() + STANDSTILL_MS;
    await eventually(() => Date.now() > until);
    goOn();
    expect(await written.finally(() => connection.close())).toMatchObject({ insertedId: 1 });
    await database.drop();
  });
});
