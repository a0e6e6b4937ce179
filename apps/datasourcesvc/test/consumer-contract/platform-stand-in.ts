import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EXPECTED, type ExpectedExchange } from './platform-contract';
import { StandInItems } from './stand-in-items';

export interface RecordedCall {
  readonly name: string;
  readonly path: string;
  readonly body: unknown;
  readonly token: string | undefined;
}

export interface Reply {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

export interface Exchange {
  readonly expected: ExpectedExchange;
  readonly url: URL;
  readonly body: unknown;
}

/** What a spec does to the n-th call of a name: answer otherwise, or let the work be done and lose the answer. */
export type Disturbance = (call: { readonly name: string; readonly nth: number }) => Reply | 'lose the answer' | 'hold' | undefined;

/** itemsvc and filesvc as runs see them, in memory. Takes and gives nothing that the consumer contract does not name. */
export class PlatformStandIn {
  readonly items = new StandInItems();
  readonly files = new Map<string, { name: string; versions: Map<string, Buffer>; tip: string }>();
  readonly calls: RecordedCall[] = [];
  /** Requests that break the consumer contract. */
  readonly violations: string[] = [];
  disturb: Disturbance = () => undefined;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<PlatformStandIn> {
    const server = createServer();
    const standIn = new PlatformStandIn(server);
    server.on('request', (request, response) => void standIn.serve(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return standIn;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  addFile(id: string, versionId: string, name: string, bytes: Buffer): void {
    const versions = this.files.get(id)?.versions ?? new Map<string, Buffer>();
    this.files.set(id, { name, tip: versionId, versions: versions.set(versionId, bytes) });
  }

  count(name: string): number {
    return this.calls.filter((call) => call.name.includes(name)).length;
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://stand-in');
    const expected = EXPECTED.find(({ method, path }) => method === request.method && path.test(url.pathname));
    const body = await readJson(request);
    if (expected === undefined) return this.refuse(response, `${request.method} ${url.pathname} is in no contract`);
    this.check({ expected, url, body }, request);
    this.calls.push({ name: expected.name, path: url.pathname + url.search, body, token: request.headers.authorization });
    const disturbed = this.disturb({ name: expected.name, nth: this.count(expected.name) });
    if (disturbed === 'hold') return;
    if (typeof disturbed === 'object') return send(response, disturbed);
    const reply = this.answer({ expected, url, body });
    if (disturbed === 'lose the answer') return void response.destroy();
    if (reply.status < 300 && expected.answer) expected.answer.parse(reply.body);
    send(response, reply);
  }

  private check({ expected, url, body }: Exchange, request: IncomingMessage): void {
    const parsed = expected.body?.safeParse(body);
    if (parsed?.success === false) this.violations.push(`${expected.name}: ${parsed.error.message}`);
    // A signed address needs neither.
    if (expected.parameters.includes('*')) return;
    if (!request.headers.authorization?.startsWith('Bearer ')) this.violations.push(`${expected.name}: no token`);
    if (!url.searchParams.has('nsfilter') && !url.pathname.includes('/requests/')) this.violations.push(`${expected.name}: no nsfilter`);
    const surplus = [...url.searchParams.keys()].filter((name) => name !== 'nsfilter' && !expected.parameters.includes(name));
    if (surplus.length > 0) this.violations.push(`${expected.name}: parameters ${surplus.join(', ')}`);
  }

  private answer({ expected, url, body }: Exchange): Reply {
    return expected.service === 'itemsvc' ? this.items.answer(expected, url, body) : this.answerFile(url);
  }

  private answerFile({ pathname }: URL): Reply {
    const [, , , , , id, versions, versionId] = pathname.split('/').map(decodeURIComponent) as string[];
    if (pathname.startsWith('/filesvc/api/v1/content/')) return { status: 200, body: this.files.get(id as string)?.versions.get(versions as string) };
    const file = this.files.get(id as string);
    if (file === undefined) return { status: 404, body: { message: `There is no file "${id}"` } };
    if (versions === undefined) return { status: 200, body: { _id: id, _name: file.name, _type: 'file', _tipId: file.tip } };
    if (!file.versions.has(versionId as string)) return { status: 404, body: { message: `There is no version "${versionId}"` } };
    return { status: 200, body: { _id: versionId, _url: `https://public.example/filesvc/api/v1/content/${id}/${versionId}?signature=s` } };
  }

  private refuse(response: ServerResponse, violation: string): void {
    this.violations.push(violation);
    send(response, { status: 500, body: { message: violation } });
  }
}

function send(response: ServerResponse, { status, body, headers }: Reply): void {
  const isBytes = Buffer.isBuffer(body);
  response.writeHead(status, { ...(!isBytes && { 'content-type': 'application/json' }), ...headers });
  response.end(isBytes || body === undefined ? body : JSON.stringify(body));
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return chunks.length === 0 ? undefined : (JSON.parse(Buffer.concat(chunks).toString()) as unknown);
}
