import { Pool } from 'undici';
import type { ParseServer } from './parse-server';

export interface ParseList {
  readonly where: object;
  readonly order: string;
  readonly limit: number;
}

/** Objects over Parse's REST API, on a fixed number of connections, with the master key: no permission is looked up, which is in its favour. */
export class ParseClient {
  private readonly pool: Pool;
  private readonly path: string;

  /** `className`: of its objects. */
  constructor(private readonly server: ParseServer, readonly className: string, connections: number) {
    this.path = `/parse/classes/${className}`;
    this.pool = new Pool(server.baseUrl, { connections, pipelining: 1 });
  }

  async create(object: object): Promise<string> {
    return (JSON.parse(await this.send('POST', this.path, object)) as { objectId: string }).objectId;
  }

  /** @throws Error where one of them was refused: the answer is 200 all the same */
  async batch(objects: readonly object[]): Promise<void> {
    const requests = objects.map((body) => ({ method: 'POST', path: this.path, body }));
    const answers = JSON.parse(await this.send('POST', '/parse/batch', { requests })) as readonly { readonly success?: object }[];
    if (answers.some(({ success }) => success === undefined)) throw new Error(`POST /parse/batch answered ${JSON.stringify(answers).slice(0, 300)}`);
  }

  get(id: string): Promise<string> {
    return this.send('GET', `${this.path}/${id}`);
  }

  /** With the number of all that there are. */
  list({ where, order, limit }: ParseList): Promise<string> {
    return this.send('GET', `${this.path}?${new URLSearchParams({ where: JSON.stringify(where), order, limit: String(limit), count: '1' })}`);
  }

  close(): Promise<void> {
    return this.pool.close();
  }

  private async send(method: 'GET' | 'POST', path: string, body?: object): Promise<string> {
    const answer = await this.pool.request({
      method, path, headers: { 'x-parse-application-id': this.server.applicationId, 'x-parse-master-key': this.server.masterKey, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${method} ${path} answered ${answer.statusCode}: ${text.slice(0, 300)}`);
    return text;
  }
}
