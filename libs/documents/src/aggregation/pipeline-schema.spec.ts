import { componentSchemas, isTaken } from '@twinyard/testing';
import { FILTER_SCHEMAS } from '../filter/filter-schema';
import { parsePipeline } from './parse-pipeline';
import { PIPELINE_SCHEMAS } from './pipeline-schema';

const fits = componentSchemas({ ...FILTER_SCHEMAS, ...PIPELINE_SCHEMAS });

/** A first stage that is no `$match` puts the one in question among those that are looked at as stages. */
const isParsed = (stage: unknown) => isTaken(() => parsePipeline([{ $skip: 0 }, stage]));

describe('the schema of a stage', () => {
  it.each([
    { $match: { a: { $gt: 1 } } }, { $project: { a: 1, b: { $add: ['$a', 1] } } }, { $addFields: { 'a.b': '$c' } }, { $set: { a: { b: ['$c', { $abs: -1 }] } } }, { $unset: 'a' }, { $unset: ['a', 'b.c'] },
    { $group: { _id: '$a', n: { $sum: 1 }, p: { $percentile: { input: '$a', p: [0.5], method: 'approximate' } } } }, { $group: { _id: null } }, { $sort: { a: 1, 'b.c': -1 } }, { $limit: 1 }, { $skip: 0 },
    { $count: 'n' }, { $unwind: '$a' }, { $unwind: { path: '$a.b', includeArrayIndex: 'i', preserveNullAndEmptyArrays: true } },
    { $bucket: { groupBy: '$a', boundaries: [0, 10], default: 'other', output: { n: { $count: {} } } } }, { $bucketAuto: { groupBy: '$a', buckets: 4 } }, { $project: { a: { $literal: { $where: 1 } } } },
  ])('takes %j', (stage) => {
    expect([fits('AggregateStage', stage), isParsed(stage)]).toEqual([true, true]);
  });

  it.each([
    {}, [], 'x', { $lookup: {} }, { $match: { $where: '1' } }, { $match: {}, $limit: 1 }, { $project: {} }, { $project: { a: { $function: {} } } }, { $project: { $a: 1 } }, { $set: { a: { b: { $where: 1 } } } },
    { $unset: [] }, { $unset: 1 }, { $group: { n: { $sum: 1 } } }, { $group: { _id: 1, n: 1 } }, { $group: { _id: 1, n: { $sum: 1, $avg: 1 } } }, { $group: { _id: 1, n: { $accumulator: {} } } }, { $group: { _id: 1, 'a.b': { $sum: 1 } } },
    { $sort: { a: 2 } }, { $limit: 0 }, { $limit: 1.5 }, { $skip: -1 }, { $count: 'a.b' }, { $count: '$a' }, { $unwind: 'a' }, { $unwind: { path: 'a' } }, { $bucket: { groupBy: '$a', boundaries: [1] } },
    { $bucket: { groupBy: '$a', boundaries: [1, 2], output: { n: 1 } } }, { $bucketAuto: { groupBy: '$a', buckets: 0 } },
  ])('refuses %j', (stage) => {
    expect([fits('AggregateStage', stage), isParsed(stage)]).toEqual([false, false]);
  });
});
