import { GatewayClient } from '../gateway-client';

export interface Task {
  readonly component: string;
  readonly params?: object;
}

const RUNS = '/datasourcesvc/api/v1';
const ITEMS = '/itemsvc/api/v1/nameduseritems';

/** One that asks for runs. */
export class RunClient extends GatewayClient {
  async orchestrator(tasks: readonly Task[]): Promise<string> {
    const made = await this.post<{ readonly id: string }>(`${RUNS}/orchestrators`, {
      _name: 'Bench', _description: '', _namespaces: [this.owner.namespace], _userType: 'bench', _schemaversion: '2.0',
      _params: { tasks: tasks.map(({ component, params = {} }, index) => ({ _orchcomp: component, _name: `${component} ${index}`, _sequenceno: index + 1, _actualparams: params })) },
    });
    return made.id;
  }

  async start(orchestratorId: string): Promise<string> {
    return (await this.post<{ readonly id: string }>(`${RUNS}/orchrun`, { orchestratorId })).id;
  }

  async cancel(id: string): Promise<void> {
    await this.send('PUT', `${RUNS}/orchrun/${id}`, JSON.stringify({ id }));
  }

  async schedule(orchestratorId: string, when: object): Promise<void> {
    await this.post(`${RUNS}/orchschedules`, { _orchid: orchestratorId, ...when });
  }

  async script(userType: string, source: string): Promise<void> {
    await this.item({ _userType: userType, _itemClass: 'Script', _version: { _userAttributes: {}, _userData: source } });
  }

  async collection(): Promise<string> {
    return this.item({ _userType: 'bench', _itemClass: 'NamedUserCollection', _version: { _userAttributes: {} } });
  }

  async fill(collection: string, rows: readonly object[]): Promise<void> {
    await this.post(`${ITEMS}/${collection}/relateditems/bulk`, rows);
  }

  private async item(draft: object): Promise<string> {
    const { _list: [made] } = await this.post<{ readonly _list: readonly { readonly _id: string }[] }>(ITEMS, [{ _name: 'Bench', _shortName: 'bench', _description: '', _namespaces: [this.owner.namespace], ...draft }]);
    return made?._id ?? '';
  }

  private async post<T>(path: string, body: unknown): Promise<T> {
    return JSON.parse(await this.send('POST', path, JSON.stringify(body))) as T;
  }
}
