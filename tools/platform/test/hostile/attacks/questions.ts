import type { Attacker } from '../attacker';

const HOUR_MS = 3_600_000;
const ERRORS = '/itemsvc/api/v1/telemetry_processing_errors';

/** A telemetry script that wants more memory than there is. Its readings are answered 204 whatever becomes of it: the record of those that were not stored says what ended it. */
export const hungryScripts = (attacker: Attacker): Promise<void> => {
  // The same readings that fail again would be the same record.
  const begun = Date.now();
  let known = 0;
  return attacker.repeat(2, 2_000, async (turn) => {
    const { telemetry, sensor } = attacker.scene;
    const _ts = new Date(begun - turn * HOUR_MS).toISOString();
    await attacker.send(attacker.items(telemetry, '/readings'), {
      method: 'POST', body: [{ _ts, _tsMetadata: { _telItemId: sensor['_id'], _sourceId: sensor['_sourceId'] }, value: turn }],
    });
    const { text } = await attacker.send(ERRORS, { query: { _pageSize: 1 } });
    const [total, message] = [Number(/"_total":(\d+)/.exec(text)?.[1] ?? 0), /"_message":"([^"]*)"/.exec(text)?.[1]];
    if (total <= known || message === undefined) return;
    known = total;
    attacker.count(`script: ${message}`);
  });
};

/** All items of a collection of large ones in one page. */
export const largePages = (attacker: Attacker): Promise<void> =>
  attacker.repeat(4, 500, () => attacker.send(attacker.items(attacker.scene.large, ''), { query: { _pageSize: 5_000 } }));

const expressions = (turn: number) =>
  Array.from({ length: 999 }, (_, n) => ({ text: { $regex: `(a|b)*c{1,${(n % 90) + 2}}(x|y)+${n}${turn}$`, $options: 'i' } }));

export const manyExpressions = (attacker: Attacker): Promise<void> =>
  attacker.repeat(4, 2_000, (turn) =>
    attacker.send('/itemsvc/api/v1/nameduseritems/search', {
      method: 'POST',
      body: { query: { $findWithRelated: { parent: { collectionDesc: { _id: attacker.scene.collection['_id'] }, query: { $or: expressions(turn) } } } } },
    }));

export const manyValues = (attacker: Attacker): Promise<void> =>
  attacker.repeat(4, 2_000, (turn) => {
    const values = Array.from({ length: 10_000 }, (_, n) => `value ${turn} ${n}`);
    const query = { $and: Array.from({ length: 10 }, () => ({ text: { $in: values } })) };
    return attacker.send('/itemsvc/api/v1/nameduseritems/search', {
      method: 'POST', body: { query: { $findWithRelated: { parent: { collectionDesc: { _id: attacker.scene.collection['_id'] }, query } } } },
    });
  });

/** Whatever has to be read whole. */
export const costlyAggregates = (attacker: Attacker): Promise<void> => {
  const pipelines = [
    [{ $group: { _id: '$value', all: { $push: '$$ROOT' } } }],
    [{ $sort: { value: -1, _ts: 1 } }],
    [{ $project: { v: { $multiply: ['$value', 2] } } }, { $group: { _id: null, mean: { $avg: { $add: ['$v', 1] } } } }],
  ];
  const path = attacker.items(attacker.scene.history, '/readings/aggregate');
  return attacker.repeat(3, 2_000, (turn) => attacker.send(path, { method: 'POST', body: pipelines[turn % pipelines.length] }));
};
