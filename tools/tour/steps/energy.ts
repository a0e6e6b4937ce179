import { type Fields, type Page, until } from '../api';
import type { TourLog } from '../tour-log';
import type { Project } from './project';
import type { ModelAnswers } from './questions';
import { ITEMS, makeItem } from './items';
import { hasEnded, makeOrchestrator, type ModelCollections, runOf } from './runs';

const RUNS = '/datasourcesvc/api/v1';
const USER_TYPE = 'tour_energy_per_storey';
const [HOURS, HOUR_MS] = [24, 3_600_000];
const MIDNIGHT = Date.UTC(2026, 0, 5);

/** Reads storeys and meters, has the readings of each meter added up, and writes one row for each storey, known by its GlobalId: it may run as often as it likes, and be begun again at any point. */
const SCRIPT = `export default async ({ actualParams: { structure, meters, energy } }, { platform }, ctx) => {
  const storeys = await platform.items.related(structure).list({ ifcClass: 'IfcBuildingStorey' }, { sort: { name: 1 } }).toArray();
  const sums = new Map((await platform.readings.aggregate(meters, [
    { $group: { _id: '$_tsMetadata._sourceId', kWh: { $sum: '$value' } } },
  ])).map(({ _id, kWh }) => [_id, kWh]));
  const rows = storeys.map(({ source_id, name }) => ({ _sourceId: source_id, name, kWh: sums.get(source_id) ?? 0 }));
  await platform.request('PUT', \`/itemsvc/api/v1/nameduseritems/\${encodeURIComponent(energy)}/relateditems/bulk\`, { query: { by: '_sourceId' }, body: rows });
  ctx.log('info', 'Energy written', { storeys: rows.length });
  return { storeys: rows.length, kWh: rows.reduce((sum, row) => sum + row.kWh, 0) };
};`;

export interface EnergyReport {
  /** What each storey's meter counted, by the storey's GlobalId. */
  readonly metered: ReadonlyMap<string, number>;
  /** As the script has written it. */
  readonly rows: readonly { readonly _sourceId: string; readonly name: string; readonly kWh: number }[];
  readonly result: Fields;
  /** The run that a schedule made of it by itself. */
  readonly scheduled: Fields;
}

/** A meter for each storey, a script that adds up what they counted and writes it back, and a schedule that runs it again. */
export async function reportEnergy(project: Project, collections: ModelCollections, { storeys }: ModelAnswers, log: TourLog): Promise<EnergyReport> {
  const { owner } = project;
  const { meters, metered } = await log.step('A meter for each storey, with its readings', () => makeMeters(project, storeys), (made) => `${made.metered.size} meters`);
  const energy = await makeItem(project, { _name: 'Energy per storey', _shortName: 'energy', _userType: USER_TYPE, _itemClass: 'NamedUserCollection' });
  await makeItem(project, { _name: 'Energy per storey', _shortName: 'energy-script', _userType: USER_TYPE, _itemClass: 'Script', _version: { _userAttributes: {}, _userData: SCRIPT } });
  const orchestrator = await makeOrchestrator(project, {
    name: 'Energy per storey', component: 'default_script_target', parameters: { userType: USER_TYPE, structure: collections.ifc_spatial_structure, meters, energy },
  });
  const result = await log.step('A script adds it up and writes it back', () => runOf(owner, orchestrator), ({ kWh }) => `${String(kWh)} kWh`);
  const scheduled = await log.step('A schedule runs it again', () => runBySchedule(project, orchestrator), ({ _status }) => String(_status));
  const { _list: rows } = await owner.get<Page<EnergyReport['rows'][number]>>(`${ITEMS}/${encodeURIComponent(energy)}/relateditems`, { sort: { name: 1 }, page: { _pageSize: 1_000 } });
  return { metered, rows, result, scheduled };
}

async function makeMeters(project: Project, storeys: ModelAnswers['storeys']): Promise<{ readonly meters: string; readonly metered: ReadonlyMap<string, number> }> {
  const { owner } = project;
  const meters = await makeItem(project, { _name: 'Meters', _shortName: 'meters', _userType: 'tour_meters', _itemClass: 'NamedTelemetryCollection', _tsProperties: { _granularity: 'hours' } });
  const path = `${ITEMS}/${encodeURIComponent(meters)}/relateditems`;
  const made = await owner.post<Page<Fields>>(path, storeys.map(({ sourceId, name }) => ({ _sourceId: sourceId, name: `Meter of ${name}`, unit: 'kWh' })));
  const metered = new Map<string, number>();
  const readings = made._list.flatMap(({ _id, _sourceId }, storey) => Array.from({ length: HOURS }, (_, hour) => {
    const value = (storey + 1) * 10 + (hour % 12);
    metered.set(String(_sourceId), (metered.get(String(_sourceId)) ?? 0) + value);
    return { _ts: new Date(MIDNIGHT + hour * HOUR_MS).toISOString(), _tsMetadata: { _telItemId: _id, _sourceId }, value };
  }));
  await owner.post(`${path}/readings`, readings);
  return { meters, metered };
}

/** Each second, until a run of its own has ended. */
async function runBySchedule({ owner }: Project, orchestratorId: string): Promise<Fields> {
  const schedule = await owner.post(`${RUNS}/orchschedules`, { _orchid: orchestratorId, runinterval: '* * 1' });
  const runs = async () => (await owner.get<Page<Fields>>(`${RUNS}/orchrun`, { orchestratorId, _pageSize: 100 }))._list;
  const run = await until('a run by the schedule', async () => (await runs()).find((one) => one['_orchschedule'] !== undefined && hasEnded(one)));
  await owner.statusOf('DELETE', `${RUNS}/orchschedules/${String(schedule['_id'])}`);
  await until('the end of its last run', async () => ((await runs()).every(hasEnded) ? true : undefined));
  return run;
}
