import { Deadline } from '../deadline';
import type { JsonObject } from '../document';
import type { StreamQuery } from '../snapshot';
import { type PipelineSource, runPipeline } from './run-pipeline';
import { rowsOf } from './run-stages';

const ROWS: readonly JsonObject[] = [{ k: 'a', n: 1 }, { k: 'b', n: 2 }, { k: 'a', n: 3 }];
const GROUPED = { $group: { _id: '$k', sum: { $sum: '$n' } } };

/** A source of a few rows, a clock that stands still, and what was asked. */
function made(group: PipelineSource['group'] = async () => undefined) {
  const clock = { now: 0 };
  const asked: StreamQuery[] = [];
  let read = 0;
  const stream = (query: StreamQuery) => {
    asked.push(query);
    return (async function* rows() { read += 1; yield* rowsOf(ROWS); })();
  };
  const run = (pipeline: readonly unknown[]) => runPipeline(pipeline, { isDate: () => false, answerBytes: 1_000_000, group, stream }, new Deadline(60_000, () => clock.now));
  return { run, clock, asked, read: () => read };
}

describe('a pipeline', () => {
  it('asks the store for the part of a list that it begins with, however long that is', async () => {
    const { run, asked } = made();
    expect(await run([{ $match: { n: { $gt: 0 } } }, { $sort: { n: -1 } }, { $skip: 7_000 }, { $limit: 90_000 }, { $project: { n: 1 } }, { $limit: 2 }])).toEqual([{ n: 1 }, { n: 2 }]);
    expect(asked).toEqual([expect.objectContaining({ sort: { n: -1 }, skip: 7_000, limit: 90_000 })]);
    await run([{ $set: { m: 1 } }, { $limit: 2 }]);
    expect(Object.keys(asked[1] ?? {}).sort()).toEqual(['deadline', 'filter']);
  });

  it('has one minute, of which what the store did with its group is a part', async () => {
    const slow = made(async (_, { deadline }) => {
      expect(deadline.leftMs()).toBe(60_000);
      slow.clock.now += 50_000;
      return undefined;
    });
    expect(await slow.run([GROUPED])).toEqual([{ _id: 'a', sum: 4 }, { _id: 'b', sum: 2 }]);
    expect(slow.asked[0]?.deadline?.leftMs()).toBe(10_000);
    const slower = made(async () => {
      slower.clock.now += 60_000;
      return [{ _id: 'a', sum: 4 }];
    });
    await expect(slower.run([GROUPED])).rejects.toMatchObject({ status: 400, code: 'query_too_slow' });
    await expect(slower.run([GROUPED, { $set: { m: 1 } }])).rejects.toMatchObject({ code: 'query_too_slow' });
  });

  it('that is refused when it is looked at closely has read nothing', async () => {
    const { run, read } = made();
    await expect(run([{ $set: { m: 1 } }, { $bucket: { groupBy: '$n', boundaries: [5, 1] } }])).rejects.toMatchObject({ status: 400, code: 'invalid' });
    await expect(run([{ $count: '_id' }])).rejects.toMatchObject({ status: 400, code: 'invalid' });
    expect(read()).toBe(0);
  });
});
