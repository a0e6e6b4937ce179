import type { Fields, Page } from '../api';
import type { TourLog } from '../tour-log';
import type { UploadedFile } from './files';
import { latest } from './metrics';
import { ITEMS } from './items';
import type { Person, Project } from './project';
import type { ModelCollections } from './runs';

const FILES = '/filesvc/api/v1/files';

/** A viewer can read and not write; somebody outside sees nothing. */
export async function checkRefusals(project: Project, collections: ModelCollections, file: UploadedFile, log: TourLog): Promise<void> {
  await log.step('A viewer reads and may not write', () => checkViewer(project, collections, file), (count) => `${count} checks`);
  await log.step('Somebody outside sees nothing', () => checkOutsider(project, collections, file), (count) => `${count} checks`);
}

/** [what, what was answered, what must be answered] */
type Check = readonly [string, unknown, unknown];

function settle(checks: readonly Check[]): number {
  const wrong = checks.filter(([, answer, expected]) => answer !== expected);
  if (wrong.length > 0) throw new Error(wrong.map(([what, answer, expected]) => `${what}: ${String(answer)} instead of ${String(expected)}`).join('; '));
  return checks.length;
}

async function checkViewer({ viewer, namespace }: Project, collections: ModelCollections, file: UploadedFile): Promise<number> {
  const { api } = viewer;
  const collection = `${ITEMS}/${encodeURIComponent(collections.rvt_elements)}`;
  return settle([
    ['reads a file', await api.statusOf('GET', `${FILES}/${file.id}`), 200],
    ['reads a collection', await api.statusOf('GET', collection), 200],
    ['reads its items', await api.statusOf('GET', `${collection}/relateditems`), 200],
    ['reads a metric', (await latest(api, 'dtplatform.filesvc.FileCount', namespace)) > 0, true],
    ['renames a file', await api.statusOf('PUT', `${FILES}/${file.id}`, { _name: 'mine.ifc' }), 403],
    ['deletes a file', await api.statusOf('DELETE', `${FILES}/${file.id}`), 403],
    ['makes a folder', await api.statusOf('POST', FILES, undefined, { _name: 'mine', _namespaces: namespace }), 403],
    ['changes a collection', await api.statusOf('PUT', collection, { _name: 'mine', _description: '', _namespaces: [namespace], _userType: 'x' }), 403],
    ['adds an item', await api.statusOf('POST', `${collection}/relateditems`, [{ mine: true }]), 403],
    ['makes a collection', await api.statusOf('POST', ITEMS, [newCollection(namespace)]), 403],
    ['makes a team', await api.statusOf('POST', '/aisvc/api/v1/teams', newTeam(namespace)), 403],
    ['makes a trigger group', await api.statusOf('POST', '/notificationsvc/api/v1/group', { _name: 'mine', _namespaces: [namespace] }), 403],
    ['grants itself more', (await grantItself(viewer, namespace)).length, 1],
  ]);
}

async function checkOutsider({ outsider, namespace }: Project, collections: ModelCollections, file: UploadedFile): Promise<number> {
  const { api } = outsider;
  const collection = `${ITEMS}/${encodeURIComponent(collections.rvt_elements)}`;
  const totalOf = async (path: string) => (await api.get<Page<Fields>>(path))._total;
  const search = await api.post<Page<Fields>>(`${ITEMS}/search`, { query: { $findWithRelated: { parent: { collectionDesc: { _userItemId: collections.rvt_elements } } } } });
  return settle([
    ['reads a file', await api.statusOf('GET', `${FILES}/${file.id}`), 404],
    ['asks for its address', await api.statusOf('GET', `${FILES}/${file.id}/url`), 404],
    ['deletes a file', await api.statusOf('DELETE', `${FILES}/${file.id}`), 404],
    ['reads a collection', await api.statusOf('GET', collection), 404],
    ['reads its items', await api.statusOf('GET', `${collection}/relateditems`), 404],
    ['makes a collection', await api.statusOf('POST', ITEMS, [newCollection(namespace)]), 403],
    ['lists files', await totalOf(FILES), 0],
    ['lists items', await totalOf(ITEMS), 0],
    ['searches', search._total, 0],
    ['lists orchestrators', await totalOf('/datasourcesvc/api/v1/orchestrators'), 0],
    ['lists runs', await totalOf('/datasourcesvc/api/v1/orchrun'), 0],
    ['lists teams', await totalOf('/aisvc/api/v1/teams'), 0],
    ['lists triggers', await totalOf('/notificationsvc/api/v1/trigger'), 0],
    ['reads a metric', await latest(api, 'dtplatform.filesvc.FileCount', namespace), 0],
  ]);
}

const newCollection = (namespace: string) => ({
  _name: 'mine', _shortName: 'mine', _description: '', _namespaces: [namespace], _userType: 'x', _itemClass: 'NamedUserCollection', _version: { _userAttributes: {} },
});

export const newTeam = (namespace: string) => ({
  _name: 'Energy', _namespaces: [namespace], _agents: [{ _userType: 'planner' }], _flow: [{ from: '__start__', to: 'planner' }, { from: 'planner', to: '__end__' }],
});

async function grantItself({ api, id }: Person, namespace: string): Promise<readonly Fields[]> {
  const { _failures } = await api.put<{ _failures: Fields[] }>('/passportsvc/api/v1/permissions', [
    { _namespace: namespace, _actions: ['*'], _resourceDesc: { _irn: '*:*:*' }, _user: { _type: 'user', _id: id } },
  ]);
  return _failures;
}
