import { Api, type Fields, type Page } from '../../tour/api';
import type { Operation } from './operations';
import type { RunningPlatform } from './running-platform';
import type { Tenant } from './tenants';

const [ITEMS, FILES, PASSPORT] = ['/itemsvc/api/v1/nameduseritems', '/filesvc/api/v1/files', '/passportsvc/api/v1'];

export type Spares = ReadonlyMap<Operation['key'], Tenant['ids']>;

/** A record of its own for each operation that removes one, where several remove the same. By the operation's key. */
export async function makeSpares({ baseUrl }: RunningPlatform, { owner, namespace, ids }: Tenant, operations: readonly Operation[]): Promise<Spares> {
  const api = new Api(baseUrl, owner.token, namespace);
  const firstId = (page: Page<Fields>) => String(page._list[0]?.['_id']);
  const relatedItem = async () => firstId(await api.post<Page<Fields>>(`${ITEMS}/${ids['collection'] ?? ''}/relateditems`, [{ name: 'spare door' }]));
  const version = async () => String((await api.post(`${ITEMS}/${ids['script'] ?? ''}/versions`, { _userData: 'export const spare = 1;' }))['_id']);
  const file = async (name: string) => {
    const form = new FormData();
    form.set('file', new Blob([name]), `${name}.txt`);
    const [made] = await api.post<Fields[]>(FILES, form, { _namespaces: namespace });
    return { file: String(made?.['_id']), fileVersion: String((made?.['_fileVersion'] as Fields)['_id']) };
  };
  const app = async () => String((await api.post(`${PASSPORT}/apps`, { _name: 'Spare', _orgId: ids['organization'] }))['_id']);
  const permission = async (service: string) => {
    const { _success } = await api.put<{ _success: Fields[] }>(`${PASSPORT}/permissions`, [
      { _namespace: namespace, _actions: ['READ'], _resourceDesc: { _irn: `${service}:*:*` }, _user: { _type: 'usergroup', _id: ids['usergroup'] } },
    ]);
    return String(_success[0]?.['_id']);
  };
  const spares = new Map<string, Tenant['ids']>();
  for (const { key, path } of operations.filter(({ method }) => method === 'DELETE')) {
    if (/\/relateditems(\/\{relatedItemId\})?$/.test(path)) spares.set(key, { relatedItem: await relatedItem() });
    else if (path.includes('/nameduseritems/{id}/versions/')) spares.set(key, { version: await version() });
    else if (path.startsWith('/filesvc/api/v1/files')) spares.set(key, await file(path.replaceAll(/\W+/g, '-')));
    else if (key === 'DELETE /passportsvc/api/v1/apps/{id}') spares.set(key, { app: await app() });
    else if (path.endsWith('/permissions/{id}')) spares.set(key, { permission: await permission(path.split('/')[1] ?? '') });
  }
  return spares;
}
