import { engineSettings, onEngine } from '@twinyard/testing';
import { createDataSource } from '../src';

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
