/** A process of its own, so that its memory is that of the pipelines: prints what it has seen as JSON. Argument: address of a database with the readings. */
import { readFileSync } from 'node:fs';
import { type DocumentStore, type JsonObject, PostgresDocumentStore, versionOf } from '../src';
import { runPipeline } from '../src/aggregation/run-pipeline';
import { Deadline } from '../src/deadline';
import { streamOf } from '../src/snapshot';

export interface PipelinesSeen {
  readonly peakBytes: number;
  readonly answers: Readonly<Record<string, { readonly ms: number; readonly answer?: readonly JsonObject[]; readonly code?: string }>>;
}

export const TARGET = versionOf('sensors', 'v');

const YEAR = { $match: { _ts: { $lt: '2021-01-01T00:00:00Z' } } };
const PIPELINES: Readonly<Record<string, readonly JsonObject[]>> = {
  count: [{ $count: 'n' }],
  year: [YEAR, { $group: { _id: null, mean: { $avg: { $add: ['$value', 1] } }, high: { $sum: { $cond: [{ $gte: ['$value', 7] }, 1, 0] } } } }],
};
/** Whether a minute is enough for these is up to the machine: here they have an hour. */
const LONG: Readonly<Record<string, readonly JsonObject[]>> = {
  // A year takes twice as much as may be held.
  sorted: [
    YEAR, { $set: { twice: { $add: ['$value', '$value'] } } }, { $sort: { twice: -1, _ts: 1 } },
    { $group: { _id: null, n: { $sum: 1 }, most: { $first: '$twice' }, first: { $first: '$_ts' }, least: { $last: '$twice' }, last: { $last: '$_ts' } } },
  ],
  all: [{ $bucket: { groupBy: '$value', boundaries: [0, 3, 10] } }],
};
const HOUR_MS = 3_600_000;

const aggregateLong = (store: DocumentStore, pipeline: readonly JsonObject[]) => runPipeline(pipeline, {
  isDate: (path) => path === '_ts',
  group: async () => undefined,
  stream: (query) => streamOf(() => store.snapshot(), (snapshot) => snapshot.readings(TARGET, query)),
  answerBytes: store.answerBytes,
}, new Deadline(HOUR_MS));

async function see(url: string): Promise<PipelinesSeen> {
  const store = await PostgresDocumentStore.open({ url });
  const answers: Record<string, PipelinesSeen['answers'][string]> = {};
  const note = async (name: string, aggregate: () => Promise<readonly JsonObject[]>) => {
    const began = performance.now();
    const ended = await aggregate().then((answer) => ({ answer }), ({ code }: { code: string }) => ({ code }));
    answers[name] = { ...ended, ms: Math.round(performance.now() - began) };
  };
  for (const [name, pipeline] of Object.entries(PIPELINES)) await note(name, () => store.readings.aggregate(TARGET, pipeline));
  for (const [name, pipeline] of Object.entries(LONG)) await note(name, () => aggregateLong(store, pipeline));
  await store.close();
  const peakBytes = Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1_024;
  return { peakBytes, answers };
}

if (require.main === module) void see(process.argv[2] ?? '').then((seen) => process.stdout.write(JSON.stringify(seen)));
