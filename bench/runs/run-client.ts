import { Pool } from 'undici';

export interface Task {
  readonly component: string;
  readonly params?: object;
}

const RUNS = '/datasourcesvc/api/v1';
const ITEMS = '/itemsvc/api/v1/nameduseritems';

/** Requests about runs, on a fixed number of connections to the gateway. */
export class RunClient {
  private readonly pool: Pool;

  constructor(origin: string, private readonly owner: { readonly token: string; readonly namespace: string }, connections: number) {
    this.pool = new Pool(origin, { connections, pipelining: 1 });
  }

  async orchestrator(tasks: readonly Task[]): Promise<string> {
    const made = await this.send<{ readonly id: string }>('POST', `${RUNS}/orchestrators`, {
      _name: 'Bench', _description: '', _namespaces: [this.owner.namespace], _userType: 'bench', _schemaversion: '2.0',
      _params: { tasks: tasks.map(({ component, params = {} }, index) => ({ _orchcomp: component, _name: `${component} ${index}`, _sequenceno: index + 1, _actualparams: params })) },
    });
    return made.id;
  }

  async start(orchestratorId: string): Promise<string> {
    return (await this.send<{ readonly id: string }>('POST', `${RUNS}/orchrun`, { orchestratorId })).id;
  }

  async schedule(orchestratorId: string, when: object): Promise<void> {
    await this.send('POST', `${RUNS}/orchschedules`, { _orchid: orchestratorId, ...when });
  }

  async script(userType: string, source: string): Promise<void> {
    await this.item({ _userType: userType, _itemClass: 'Script', _version: { _userAttributes: {}, _userData: source } });
  }

  async collection(): Promise<string> {
    return this.item({ _userType: 'bench', _itemClass: 'NamedUserCollection', _version: { _userAttributes: {} } });
  }

  async fill(collection: string, rows: readonly object[]): Promise<void> {
    await this.send('POST', `${ITEMS}/${collection}/relateditems/bulk`, rows);
  }

  close(): Promise<void> {
    return this.pool.close();
  }

  private async item(draft: object): Promise<string> {
    const { _list: [made] } = await this.send<{ readonly _list: readonly { readonly _id: string }[] }>('POST', ITEMS, [{ _name: 'Bench', _shortName: 'bench', _description: '', _namespaces: [this.owner.namespace], ...draft }]);
    return made?._id ?? '';
  }

  private async send<T>(method: 'GET' | 'POST', path: string, body?: unknown): Promise<T> {
    const { token, namespace } = this.owner;
    const answer = await this.pool.request({
      method, path: `${path}?nsfilter=${namespace}`, headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' }, ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${method} ${path} answered ${answer.statusCode}: ${text.slice(0, 300)}`);
    return JSON.parse(text) as T;
  }
}
