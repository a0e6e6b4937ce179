import type { Api, Fields, Page } from '../../tour/api';
import type { Project } from '../../tour/steps/project';
import { newTeam } from '../../tour/steps/refusals';

const QUESTIONS = [
  '/itemsvc/api/v1/nameduseritems',
  '/filesvc/api/v1/files',
  '/datasourcesvc/api/v1/orchestrators',
  '/aisvc/api/v1/teams',
  '/notificationsvc/api/v1/group',
];

/** One record in each service, so that a reader sees exactly one everywhere. Resolves with the id of the workspace. */
export async function makeOneOfEach({ owner, namespace }: Project): Promise<string> {
  await owner.post('/itemsvc/api/v1/nameduseritems', [{
    _name: 'One', _shortName: 'one', _description: '', _namespaces: [namespace], _userType: 'one', _itemClass: 'NamedUserCollection', _version: { _userAttributes: {} },
  }]);
  const form = new FormData();
  form.set('file', new Blob(['one']), 'one.txt');
  await owner.post('/filesvc/api/v1/files', form, { _namespaces: namespace });
  await owner.post('/datasourcesvc/api/v1/orchestrators', {
    _name: 'One', _description: '', _namespaces: [namespace], _userType: 'one', _schemaversion: '2.0', _params: { tasks: [{ name: 'ping', _name: 'One', _sequenceno: 1, _actualparams: {} }] },
  });
  await owner.post('/aisvc/api/v1/teams', newTeam(namespace));
  await owner.post('/notificationsvc/api/v1/group', { _name: 'One', _namespaces: [namespace] });
  await metricPoints(owner, namespace);
  const workspaces = await owner.get<Page<Fields>>('/passportsvc/api/v1/workspaces', { _shortName: 'tour', _pageSize: 1_000 });
  const mine = workspaces._list.find((workspace) => (workspace['_namespaces'] as string[]).includes(namespace));
  return String(mine?.['_id']);
}

/** How many records somebody sees in each of the seven services. */
export async function seenBy(api: Api, namespace: string, workspaceId: string): Promise<number[]> {
  const totals = QUESTIONS.map(async (path) => (await api.get<Page<Fields>>(path))._total);
  const workspace = api.statusOf('GET', `/passportsvc/api/v1/workspaces/${workspaceId}`).then((status) => (status === 200 ? 1 : 0));
  const points = api.get<{ metrics: unknown[] }>('/metricsvc/api/v1/metrics/dtplatform.filesvc.FileCount', { namespace }).then(({ metrics }) => metrics.length);
  return Promise.all([...totals, workspace, points]);
}

export const statusesOf = (api: Api, namespace: string, workspaceId: string): Promise<number[]> =>
  Promise.all([
    ...QUESTIONS.map((path) => api.statusOf('GET', path)),
    api.statusOf('GET', `/passportsvc/api/v1/workspaces/${workspaceId}`),
    api.statusOf('GET', '/metricsvc/api/v1/metrics/dtplatform.filesvc.FileCount', undefined, { namespace }),
  ]);

/** The count of files arrives by event. */
async function metricPoints(owner: Api, namespace: string): Promise<void> {
  for (;;) {
    const { metrics } = await owner.get<{ metrics: unknown[] }>('/metricsvc/api/v1/metrics/dtplatform.filesvc.FileCount', { namespace });
    if (metrics.length === 1) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
