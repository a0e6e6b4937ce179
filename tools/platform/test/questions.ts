import { createHash } from 'node:crypto';
import { type Api, ApiError, type Fields, type Page } from '../../tour/api';
import type { TourReport } from '../../tour/tour';

const ITEMS = '/itemsvc/api/v1/nameduseritems';
const FILES = '/filesvc/api/v1/files';
const PASSPORT = '/passportsvc/api/v1';
const RUNS = '/datasourcesvc/api/v1';
const NOTIFICATIONS = '/notificationsvc/api/v1';

export type Question = (report: TourReport) => Promise<unknown>;

const pathOf = (collection: string) => `${ITEMS}/${encodeURIComponent(collection)}`;
const everything = { page: { _pageSize: 5_000 } };

type Kind = keyof TourReport['collections'];
const items = (kind: Kind, parameters: Fields): Question => ({ project, collections }) =>
  project.owner.get(`${pathOf(collections[kind])}/relateditems`, { ...everything, ...parameters } as Record<string, object>);

const readings = ({ sensor }: TourReport) => `${pathOf(sensor.collectionId)}/relateditems/readings`;
const aggregate = (pipeline: readonly object[]): Question => (report) => report.project.owner.post(`${readings(report)}/aggregate`, pipeline);

/** What an API answers to what it refuses. */
async function refusalOf(asked: Promise<unknown>): Promise<unknown> {
  const error = await asked.then(() => new Error('it was not refused'), (thrown: unknown) => thrown);
  return error instanceof ApiError ? { status: error.status, message: error.message } : String(error);
}

async function contentOf(owner: Api, fileId: string, range?: string): Promise<unknown> {
  const { _url } = await owner.get<{ _url: string }>(`${FILES}/${fileId}/url`);
  const answer = await fetch(_url, { ...(range !== undefined && { headers: { range } }) });
  const bytes = Buffer.from(await answer.arrayBuffer());
  const told = ['content-type', 'content-length', 'content-range', 'content-disposition', 'accept-ranges'].map((name) => [name, answer.headers.get(name)]);
  return { status: answer.status, sha256: createHash('sha256').update(bytes).digest('hex'), ...Object.fromEntries(told) as Fields };
}

/** A row of properties has the id of its element. */
async function propertiesByElement(report: TourReport): Promise<unknown> {
  const [elements, properties] = await Promise.all([items('rvt_elements', {})(report), items('rvt_element_props', {})(report)]) as [Page<Fields>, Page<Fields>];
  const elementOf = new Map(elements._list.map((element) => [element['_id'], String(element['source_id'])]));
  const rows = properties._list.map((row) => [elementOf.get(row['_id']) ?? '', row['properties']] as const);
  return rows.sort(([one], [other]) => (one < other ? -1 : 1));
}

async function makeTextIndex({ project, collections }: TourReport): Promise<unknown> {
  const path = pathOf(collections.rvt_elements);
  await project.owner.post(`${path}/indexes`, [{ key: { ifcClass: 'text', name: 'text' }, options: { name: 'words' } }]);
  const found = await project.owner.get<Page<Fields>>(`${path}/relateditems`, { query: { $text: { $search: 'IfcDoor' } }, project: { source_id: 1 }, sort: { source_id: 1 }, ...everything });
  return { found, indexes: await project.owner.get(`${path}/indexes`) };
}

const FIND_DOORS = (report: TourReport) => ({
  query: {
    $findWithRelated: {
      parent: { collectionDesc: { _userItemId: report.collections.rvt_elements }, query: { ifcClass: { $in: ['IfcDoor', 'IfcWindow'] } }, options: { sort: { source_id: 1 }, ...everything } },
      related: [{ relatedDesc: { _relatedUserType: 'rvt_element_props' }, as: 'props', options: { page: { _pageSize: 3 } } }],
    },
  },
});

const METRIC_NAMES = [
  'filesvc.FileCount', 'filesvc.FileVersionCount', 'filesvc.FileVersionSize', 'itemsvc.NamedUserCollectionCount', 'itemsvc.NamedUserCollectionVersionCount',
  'itemsvc.NamedUserCollectionRelatedItemsCount', 'itemsvc.NamedTelemetryCollectionCount', 'itemsvc.NamedCompositeItemCount', 'passportsvc.UserGroupCount',
];

/** Values, since the hours that the points stand on are those of the run. */
async function latestValues({ project }: TourReport): Promise<unknown> {
  const entries = await Promise.all(METRIC_NAMES.map(async (name) => {
    const { metrics } = await project.owner.get<{ metrics: { value: number }[] }>(`/metricsvc/api/v1/metrics/dtplatform.${name}`, { namespace: project.namespace });
    return [name, metrics.at(-1)?.value];
  }));
  return Object.fromEntries(entries) as Fields;
}

/** What is asked beside the tour, by name. The order of every list is asked for, or is that of its making. */
export const QUESTIONS: Readonly<Record<string, Question>> = {
  'named items': ({ project }) => project.owner.get(ITEMS, { sort: { _userType: 1 }, ...everything }),
  'versions of a collection': ({ project, collections }) => project.owner.get(`${pathOf(collections.rvt_elements)}/versions`),
  'all elements': items('rvt_elements', { sort: { source_id: 1 } }),
  'all properties, by element': propertiesByElement,
  'all types, in the order of their making': items('rvt_type_elements', {}),
  'the spatial structure': items('ifc_spatial_structure', { sort: { ifcClass: 1, name: 1 } }),
  'a range of classes, backwards': items('rvt_elements', { query: { ifcClass: { $gte: 'IfcD', $lt: 'IfcT' } }, sort: { ifcClass: -1, source_id: 1 } }),
  'a pattern': items('rvt_elements', { query: { name: { $regex: '^b', $options: 'i' } }, sort: { source_id: 1 }, project: { name: 1, source_id: 1 } }),
  'what has no name, or another': items('rvt_elements', { query: { $or: [{ name: { $exists: false } }, { name: { $not: { $regex: 'a' } } }] }, sort: { source_id: 1 } }),
  'neither doors nor walls': items('rvt_elements', { query: { $nor: [{ ifcClass: 'IfcDoor' }, { ifcClass: { $in: ['IfcWall', 'IfcWallStandardCase'] } }] }, sort: { source_id: 1 }, page: { _offset: 5, _pageSize: 7 } }),
  'doors and windows with their properties': (report) => report.project.owner.post(`${ITEMS}/search`, FIND_DOORS(report)),
  'the classes there are, counted': ({ project, collections }) => project.owner.post(`${ITEMS}/search`, {
    query: { $distinctRelatedItemFields: { collectionDesc: { _userItemId: collections.rvt_elements }, fieldDesc: [{ field: 'ifcClass', count: true }] } },
  }),
  'relationships': async ({ project, collections }) => {
    const { _total } = await project.owner.get<Page<Fields>>(`${pathOf(collections.rvt_elements)}/relationships`, { page: { _pageSize: 0 } });
    const { _total: inverse } = await project.owner.get<Page<Fields>>(`${pathOf(collections.rvt_element_props)}/inverserelationships`, { page: { _pageSize: 0 } });
    return { _total, inverse };
  },
  'readings of a page': (report) => report.project.owner.get(readings(report), { sort: { _ts: -1 }, page: { _offset: 10, _pageSize: 50 } }),
  'readings above a value': (report) => report.project.owner.get(readings(report), { query: { value: { $gt: 65 } }, sort: { value: -1, _ts: 1 }, page: { _pageSize: 20 } }),
  'hourly figures': aggregate([
    { $group: { _id: { $dateTrunc: { date: '$_ts', unit: 'hour' } }, mean: { $avg: '$value' }, count: { $sum: 1 }, first: { $first: '$value' } } }, { $sort: { _id: 1 } }, { $limit: 48 },
  ]),
  'figures of the whole': aggregate([{ $group: { _id: null, sum: { $sum: '$value' }, lowest: { $min: '$value' }, highest: { $max: '$value' }, count: { $sum: 1 } } }]),
  'files': ({ project }) => project.owner.get(FILES, { _type: 'file', _pageSize: 100 }),
  'a file and its versions': async ({ project, files }) => [await project.owner.get(`${FILES}/${files.model.id}`), await project.owner.get(`${FILES}/${files.model.id}/versions`)],
  'the bytes of a file': ({ project, files }) => contentOf(project.owner, files.model.id),
  'a range of the bytes': ({ project, files }) => contentOf(project.owner, files.readings.id, 'bytes=1000-1999'),
  'runs, their steps and logs': async ({ project }) => {
    const all = await project.owner.get<Page<Fields>>(`${RUNS}/orchrun`, { _pageSize: 100 });
    // How many a schedule has made is a matter of time.
    const _list = all._list.filter((run) => run['_orchschedule'] === undefined);
    const details = await Promise.all(_list.map(async ({ id }) => [await project.owner.get(`${RUNS}/orchrun/${String(id)}/steps`), await project.owner.get(`${RUNS}/orchrun/logs/${String(id)}`)]));
    return sorted([_list.map((run, index) => [run, details[index]])].flat());
  },
  'orchestrators': async ({ project }) => sorted((await project.owner.get<Page<Fields>>(`${RUNS}/orchestrators`, { _pageSize: 100 }))._list),
  'notifications': async ({ project }) => sorted((await project.owner.get<Page<Fields>>(`${NOTIFICATIONS}/notification`))._list),
  'triggers': ({ project }) => project.owner.get(`${NOTIFICATIONS}/trigger`),
  'teams': ({ project }) => project.owner.get('/aisvc/api/v1/teams'),
  'permissions': ({ project }) => project.owner.get(`${PASSPORT}/permissions`, { _namespace: project.namespace, '_user._type': 'usergroup' }),
  'the group and its members': ({ project }) => project.owner.get(`${PASSPORT}/usergroups/${project.viewersGroupId}/users`),
  'metrics': latestValues,
  'refusals': ({ project, collections, files }) => Promise.all([
    refusalOf(project.owner.get(`${pathOf(collections.rvt_elements)}/relateditems`, { query: { $where: '1' } })),
    refusalOf(project.owner.get(`${pathOf(collections.rvt_elements)}/relateditems`, { query: { a: { $regex: '(' } } })),
    refusalOf(project.owner.get(`${pathOf('nothing_here')}`)),
    refusalOf(project.owner.post(`${pathOf(collections.rvt_elements)}/relateditems`, [{ _id: 'not hex' }])),
    refusalOf(project.outsider.api.get(`${FILES}/${files.model.id}`)),
    refusalOf(project.viewer.api.request('DELETE', pathOf(collections.rvt_elements))),
    refusalOf(project.owner.post(`${pathOf(collections.rvt_elements)}/indexes`, [{ key: { '$a': 1 }, options: { name: 'bad' } }])),
  ]),
  'a text index, and what it finds': makeTextIndex,
};

/** By what they say, ids and times aside: lists whose order is that of times. */
const sorted = (list: readonly unknown[]): unknown[] => [...list].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
const keyOf = (value: unknown) => JSON.stringify(value).replace(/[0-9a-f]{8,}(-[0-9a-f]{4,})*|\d{10,}|_[a-z0-9]{8}\b/gi, '');

/** Everything that the platform has answered, by question; one that it cannot answer does not take the others with it. */
export async function answersOf(report: TourReport): Promise<Record<string, unknown>> {
  const { project: _project, timings: _timings, ...tour } = report;
  const answers: Record<string, unknown> = { tour };
  for (const [name, ask] of Object.entries(QUESTIONS)) {
    answers[name] = await ask(report).catch((error: unknown) => ({ failed: String(error) }));
  }
  return answers;
}
