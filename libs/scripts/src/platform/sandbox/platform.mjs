// `libraries.platform`: this platform's API, with the rights of whoever the script acts for.
import { listOf, placed, requestWith } from './calls.mjs';
import { filesOf } from './files.mjs';
import { itemsOf, readingsOf } from './items.mjs';

const RUNS = '/datasourcesvc/api/v1/orchrun';
const NOTIFICATION = '/notificationsvc/api/v1/notification';
const WORKSPACES = '/passportsvc/api/v1/workspaces';

export function platformOf(ask, facts) {
  const request = requestWith(ask);
  return Object.freeze({
    request: placed((method, path, { query, headers, body } = {}) => request(method, path, { query, headers, body })),
    items: Object.freeze(itemsOf(request, facts)),
    readings: Object.freeze(readingsOf(request)),
    files: Object.freeze(filesOf(request, facts)),
    runs: Object.freeze({
      start: placed(async (orchestratorId, actualParams) => (await request('POST', RUNS, { body: { orchestratorId, _actualParams: actualParams } })).body),
      get: placed(async (id) => (await request('GET', `${RUNS}/${encodeURIComponent(id)}`)).body[0]),
    }),
    notify: placed(async (name, { message, data, eventId, namespace } = {}) => {
      const _namespaces = namespace === undefined ? facts.namespaces : [namespace];
      return (await request('POST', NOTIFICATION, { body: { _name: name, _message: message, _data: data, _eventId: eventId, _namespaces } })).body._eventId;
    }),
    workspaces: Object.freeze({
      current: placed(async () => {
        for await (const workspace of listOf(request, WORKSPACES, { most: 1_000 })) {
          if (workspace._namespaces.some((namespace) => facts.namespaces.includes(namespace))) return workspace;
        }
        return undefined;
      }),
    }),
    principal: placed(async () => (await request('GET', '/passportsvc/api/v1/principalinfo')).body),
  });
}
