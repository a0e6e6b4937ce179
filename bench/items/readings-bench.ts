import { Pool } from 'undici';
import { type BenchRow, perSecond } from '../bench-table';
import type { BenchOptions } from '../options';
import type { BenchPlatform } from '../platform/bench-platform';
import { drive, type Load, medianLoad } from '../statistics';
import { BareReadings, type Series } from './bare-readings';
import { sampleReading } from './sample-reading';

const group = 'items';
const ITEMS = '/itemsvc/api/v1/nameduseritems';
const BATCH = 5_000;
const SENSORS = 1_000;
const YEAR = { from: '2025-01-01T00:00:00.000Z', to: '2026-01-01T00:00:00.000Z' };
const MONTH = { from: '2025-03-01T00:00:00.000Z', to: '2025-04-01T00:00:00.000Z' };
const YEAR_MS = Date.parse(YEAR.to) - Date.parse(YEAR.from);

interface Sensor {
  readonly id: string;
  readonly sourceId: string;
}

interface Bench {
  readonly options: BenchOptions;
  readonly api: Api;
  /** On one machine alone; the year is loaded by it, so there are no rows of buckets without. */
  readonly bare: BareReadings | undefined;
}

/** Readings in, and buckets of them, each beside the same work by the bare driver on the same server. */
export async function benchReadings(platform: BenchPlatform, options: BenchOptions, owner: { readonly token: string; readonly namespace: string }): Promise<BenchRow[]> {
  const api = new Api(platform.serviceUrl('itemsvc'), owner);
  const bare = platform.isOneMachine ? new BareReadings(platform.databaseUrl('itemsvc')) : undefined;
  try {
    await bare?.create();
    const bench = { options, api, bare };
    return [await benchIngest(bench), ...(bare === undefined ? [] : await benchBuckets(bench, bare))];
  } finally {
    await Promise.all([api.close(), bare?.close()]);
  }
}

/** By turns, one request at a time; the first of each warms up and is left out. */
async function benchIngest({ options, api, bare }: Bench): Promise<BenchRow> {
  const { sensors, path } = await api.makeSensors('ingest');
  const [ours, theirs]: [Load[], Load[]] = [[], []];
  for (let from = 0; from <= options.items * 5; from += BATCH) {
    const readings = Array.from({ length: BATCH }, (_, index) => sampleReading(from + index, sensors));
    const bareLoad = bare && await drive(1, 1, () => bare.insert(readings));
    const ourLoad = await drive(1, 1, () => api.send('POST', path, readings));
    if (from === 0) continue;
    if (bareLoad) theirs.push(bareLoad);
    ours.push(ourLoad);
  }
  const scaled = (load: Load): Load => ({ ...load, perSecond: load.perSecond * BATCH });
  const say = ({ perSecond: rate, p50Ms }: Load) => `${perSecond(rate)} (p50 ${p50Ms.toFixed(0)} ms)`;
  const [mine, other] = [scaled(medianLoad(ours)), bare && scaled(medianLoad(theirs))];
  return {
    group, what: `readings in, requests of ${BATCH.toLocaleString('en')}, readings/s`, measured: say(mine), value: mine.perSecond, goal: '≥ 0.35 of bare',
    ...(other && { bare: say(other), ratio: (mine.perSecond / other.perSecond).toFixed(2) }),
  };
}

async function benchBuckets({ options, api }: Bench, bare: BareReadings): Promise<BenchRow[]> {
  const { sensors, path, series } = await api.makeSensors('year');
  const each = Math.ceil(options.readings / SENSORS);
  await bare.load(series, sensors, { from: YEAR.from, stepMs: Math.floor(YEAR_MS / each), each });
  const first = sensors[0] as Sensor;
  const dense = await api.makeSensors('dense');
  await bare.load(dense.series, [dense.sensors[0] as Sensor], { from: MONTH.from, stepMs: 300_000, each: 31 * 288 });
  const pipelineOf = (unit: string, period: typeof MONTH, item?: string) => [
    { $match: { _ts: { $gte: period.from, $lt: period.to }, ...(item !== undefined && { '_tsMetadata._telItemId': item }) } },
    { $group: { _id: { $dateTrunc: { date: '$_ts', unit } }, mean: { $avg: '$temperature' }, least: { $min: '$temperature' }, most: { $max: '$temperature' } } },
    { $sort: { _id: 1 } },
  ];
  const ask = (where: string, pipeline: readonly object[]) => async () => ((await api.send('POST', `${where}/aggregate`, pipeline)) as { _list: { _id: string; mean: number }[] })._list;
  const month = (of: Sensor, inSeries: Series, where: string, readings: string) => compare(`a month of one sensor (${readings}) in daily buckets`, '≤ 15 ms', 60, {
    ours: ask(where, pipelineOf('day', MONTH, of.id)), bare: () => bare.buckets(inSeries, 'day', { ...MONTH, item: of.id }),
  });
  return [
    await month(first, series, path, `${Math.round((each * 31) / 365).toLocaleString('en')} readings`),
    await month(dense.sensors[0] as Sensor, dense.series, dense.path, '8,928 readings'),
    await compare(`a year of ${SENSORS.toLocaleString('en')} sensors (${(each * SENSORS).toLocaleString('en')} readings) in hourly buckets`, 'by pushdown', 3, {
      ours: ask(path, pipelineOf('hour', YEAR)), bare: () => bare.buckets(series, 'hour', YEAR),
    }),
  ];
}

interface Ways {
  readonly ours: () => Promise<readonly { readonly _id: string; readonly mean: number }[]>;
  readonly bare: () => Promise<readonly { readonly at: Date; readonly mean: number }[]>;
}

/** By turns; the first of each warms up, and must give the same buckets. */
async function compare(what: string, goal: string, times: number, { ours, bare }: Ways): Promise<BenchRow> {
  const [mine, theirs] = [await ours(), await bare()];
  const differs = mine.length !== theirs.length || mine.some(({ _id, mean }, index) => _id !== theirs[index]?.at.toISOString() || Math.abs(mean - (theirs[index]?.mean ?? Number.NaN)) > 1e-6);
  if (differs) throw new Error(`${what}: the buckets differ, ${mine.length} against ${theirs.length}`);
  const loads = { ours: [] as Load[], bare: [] as Load[] };
  for (let round = 0; round < times; round += 1) {
    loads.bare.push(await drive(1, 1, bare));
    loads.ours.push(await drive(1, 1, ours));
  }
  const [ourLoad, bareLoad] = [medianLoad(loads.ours), medianLoad(loads.bare)];
  const say = ({ p50Ms }: Load) => `${p50Ms.toFixed(p50Ms < 100 ? 1 : 0)} ms`;
  return { group, what, measured: say(ourLoad), value: 1_000 / ourLoad.p50Ms, bare: say(bareLoad), ratio: (bareLoad.p50Ms / ourLoad.p50Ms).toFixed(2), goal };
}

class Api {
  private readonly pool: Pool;

  constructor(origin: string, private readonly owner: { readonly token: string; readonly namespace: string }) {
    this.pool = new Pool(origin, { connections: 1, pipelining: 1, headersTimeout: 120_000 });
  }

  async makeSensors(name: string): Promise<{ readonly sensors: Sensor[]; readonly path: string; readonly series: Series }> {
    const [item] = (await this.send('POST', ITEMS, [{
      _name: name, _shortName: name, _namespaces: [this.owner.namespace], _userType: 'bench', _itemClass: 'NamedTelemetryCollection',
    }]) as { _list: { _id: string; _tipId: string }[] })._list as [{ _id: string; _tipId: string }];
    const path = `${ITEMS}/${item._id}/relateditems`;
    const made = await this.send('POST', `${path}/bulk`, Array.from({ length: SENSORS }, (_, n) => ({ _sourceId: `sensor-${n}` }))) as { _list: { _id: string; _sourceId: string }[] };
    return { sensors: made._list.map(({ _id, _sourceId }) => ({ id: _id, sourceId: _sourceId })), path: `${path}/readings`, series: { collection: `c${item._id}`, part: item._tipId } };
  }

  async send(method: 'POST', path: string, body: unknown): Promise<unknown> {
    const { token, namespace } = this.owner;
    const answer = await this.pool.request({
      method, path: `${path}?nsfilter=${namespace}`, headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' }, body: JSON.stringify(body),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${method} ${path} answered ${answer.statusCode}: ${text.slice(0, 300)}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  close(): Promise<void> {
    return this.pool.close();
  }
}
