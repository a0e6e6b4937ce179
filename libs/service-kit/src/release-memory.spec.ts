import { getHeapStatistics } from 'node:v8';
import { releaseMemory } from './release-memory';

it('gives back what nobody holds, pages included', async () => {
  let made: object[] = Array.from({ length: 400_000 }, (_, n) => ({ n, of: [n] }));
  await releaseMemory();
  const { total_heap_size: before } = getHeapStatistics();
  made = made.filter(({ n }: { n?: number }) => n === -1);
  await releaseMemory();
  expect(before - getHeapStatistics().total_heap_size).toBeGreaterThan(20e6);
  expect(made).toEqual([]);
});
