import type { Fields, Page } from '../api';
import type { TourLog } from '../tour-log';
import { ITEMS, makeItem } from './items';
import type { Project } from './project';

export interface Sensor {
  readonly collectionId: string;
  readonly sourceId: string;
  readonly itemId: string;
}

export function makeSensor(project: Project, log: TourLog): Promise<Sensor> {
  return log.step('Create a telemetry collection and its sensor', async () => {
    const collectionId = await makeItem(project, { _name: 'Sensors', _shortName: 'sensors', _userType: 'tour_sensors', _itemClass: 'NamedTelemetryCollection', _tsProperties: { _granularity: 'hours' } });
    const sourceId = 'temperature-1';
    const items = await project.owner.post<Page<Fields>>(`${ITEMS}/${encodeURIComponent(collectionId)}/relateditems`, [{ _sourceId: sourceId, name: 'Temperature', unit: '°F' }]);
    return { collectionId, sourceId, itemId: String(items._list[0]?.['_id']) };
  }, ({ collectionId }) => collectionId);
}

export interface Day {
  readonly _id: string;
  readonly mean: number;
  readonly minimum: number;
  readonly maximum: number;
}

export interface ReadingsAnswer {
  readonly total: number;
  readonly first: Fields;
  readonly inRange: number;
  readonly days: readonly Day[];
}

/** Readings of a range, and their daily mean, minimum and maximum. */
export function askReadings({ owner }: Project, { collectionId, itemId }: Sensor, log: TourLog): Promise<ReadingsAnswer> {
  const readings = `${ITEMS}/${encodeURIComponent(collectionId)}/relateditems/readings`;
  return log.step('Ask for readings and their daily figures', async () => {
    const whole = await owner.get<Page<Fields>>(readings, { sort: { _ts: 1 }, page: { _pageSize: 1 } });
    const first = whole._list[0] as Fields;
    const from = String(first['_ts']);
    const to = new Date(Date.parse(from) + 7 * 86_400_000).toISOString();
    const week = await owner.get<Page<Fields>>(readings, { query: { _ts: { $gte: from, $lt: to } }, sort: { _ts: 1 }, page: { _pageSize: 5_000 } });
    const { _list } = await owner.post<{ _list: Day[] }>(`${readings}/aggregate`, [
      { $match: { '_tsMetadata._telItemId': itemId } },
      { $group: { _id: { $dateTrunc: { date: '$_ts', unit: 'day' } }, mean: { $avg: '$value' }, minimum: { $min: '$value' }, maximum: { $max: '$value' } } },
      { $sort: { _id: 1 } },
    ]);
    return { total: whole._total, first, inRange: week._total, days: _list };
  }, ({ total, inRange, days }) => `${total} readings, ${inRange} in the first week, ${days.length} days`);
}
