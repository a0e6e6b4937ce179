import { Pool } from 'undici';

/** A project that a benchmark has made for itself. */
export interface BenchOwner {
  readonly token: string;
  readonly namespace: string;
}

/** Requests in the namespace of a project, on a fixed number of connections to the gateway. */
export class GatewayClient {
  private readonly pool: Pool;

  constructor(origin: string, protected readonly owner: BenchOwner, connections: number) {
    this.pool = new Pool(origin, { connections, pipelining: 1 });
  }

  close(): Promise<void> {
    return this.pool.close();
  }

  /** The text of the answer. @throws Error with it where it is no success */
  protected async send(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: string, type = 'application/json'): Promise<string> {
    const { token, namespace } = this.owner;
    const answer = await this.pool.request({
      method, path: `${path}${path.includes('?') ? '&' : '?'}nsfilter=${namespace}`,
      headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': type }) }, ...(body !== undefined && { body }),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${method} ${path} answered ${answer.statusCode}: ${text.slice(0, 300)}`);
    return text;
  }
}
