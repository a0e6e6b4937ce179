import { newUuid } from '@twinyard/conventions';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { EXPECTED, type ExpectedExchange } from './platform-contract';
import { StandInFiles } from './stand-in-files';
import { StandInItems } from './stand-in-items';

const TELL = 'tell something';

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
  /** Bytes that are asked for alone. */
  readonly range?: string | undefined;
}

/** What a spec does to the n-th call of a name: answer otherwise, or let the work be done and lose the answer, or the second half of it. */
export type Disturbance = (call: { readonly name: string; readonly nth: number }) => Reply | 'lose the answer' | 'break off' | 'hold' | undefined;

/** itemsvc and filesvc as runs see them, in memory, and of others what a spec says. Takes and gives nothing that the consumer contract does not name. */
export class PlatformStandIn {
  readonly items = new StandInItems();
  readonly files = new StandInFiles();
  /** What was told, by its id. */
  readonly notices = new Map<string, unknown>();
  readonly calls: RecordedCall[] = [];
  /** Requests that break the consumer contract. */
  readonly violations: string[] = [];
  disturb: Disturbance = () => undefined;
  /** The body of a request is not taken before this ends. */
  arriving: (request: IncomingMessage) => unknown = () => undefined;
  /** First answers, by the keys of their requests. */
  private readonly kept = new Map<string, { readonly body: unknown; readonly reply: Reply }>();
  /** Of services that are not kept here. */
  others: (exchange: Exchange) => Reply = () => ({ status: 404, body: { message: 'There is no such thing', code: 'not_found' } });

  private constructor(private readonly server: Server, private readonly expected: readonly ExpectedExchange[]) {}

  /** `more`: what is expected besides, by whoever asks here. */
  static async start(more: readonly ExpectedExchange[] = []): Promise<PlatformStandIn> {
    const server = createServer();
    const standIn = new PlatformStandIn(server, [...more, ...EXPECTED]);
    // Who sends a body and does not end it is no spec's concern.
    server.on('request', (request, response) => void standIn.serve(request, response).catch(() => response.destroy()));
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

  /** `namespaces`: in which it is seen; all without them. */
  addFile(id: string, versionId: string, name: string, bytes: Buffer, namespaces: readonly string[] = []): void {
    this.files.add(id, versionId, name, bytes, namespaces);
  }

  count(name: string): number {
    return this.calls.filter((call) => call.name.includes(name)).length;
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://stand-in');
    const expected = this.expected.find(({ method, path }) => method === request.method && path.test(url.pathname));
    await this.arriving(request);
    const body = await readBody(request);
    if (expected === undefined) return this.refuse(response, `${request.method} ${url.pathname} is in no contract`);
    this.check({ expected, url, body }, request);
    this.calls.push({ name: expected.name, path: url.pathname + url.search, body, token: request.headers.authorization });
    const disturbed = this.disturb({ name: expected.name, nth: this.count(expected.name) });
    if (disturbed === 'hold') return;
    if (typeof disturbed === 'object') return send(response, disturbed);
    const reply = this.once(request, body, () => this.answer({ expected, url, body, range: request.headers.range }));
    if (disturbed === 'lose the answer') return void response.destroy();
    if (disturbed === 'break off') return breakOff(response, reply);
    if (reply.status < 300 && expected.answer) expected.answer.parse(reply.body);
    send(response, reply);
  }

  private check(exchange: Exchange, { headers }: IncomingMessage): void {
    const { expected, body } = exchange;
    const parsed = expected.body?.safeParse(Buffer.isBuffer(body) ? body.toString() : body);
    const found = [
      parsed?.success === false && parsed.error.message,
      expected.hasKey && headers['idempotency-key'] === undefined && 'no key',
      // A signed address needs neither.
      ...(expected.parameters.includes('*') ? [] : signOf(exchange, headers.authorization)),
    ];
    for (const violation of found) if (violation) this.violations.push(`${expected.name}: ${violation}`);
  }

  /** `Idempotency-Key` (contract 0.2). */
  private once({ method, url, headers }: IncomingMessage, body: unknown, work: () => Reply): Reply {
    if (headers['idempotency-key'] === undefined) return work();
    const key = `${method} ${url} ${headers['idempotency-key'] as string}`;
    const known = this.kept.get(key);
    if (known !== undefined && !isDeepStrictEqual(known.body, body)) return { status: 422, body: { message: 'This Idempotency-Key was used for another request' } };
    const reply = known?.reply ?? work();
    this.kept.set(key, { body, reply });
    return reply;
  }

  private answer({ expected, url, body, range }: Exchange): Reply {
    if (expected.service === 'itemsvc') return this.items.answer(expected, url, body);
    if (expected.service === 'filesvc') return this.files.answer({ expected, url, body, range });
    return expected.name === TELL ? this.tell(body as { readonly _eventId?: string }) : this.others({ expected, url, body });
  }

  private tell({ _eventId = newUuid(), ...notice }: { readonly _eventId?: string }): Reply {
    this.notices.set(_eventId, { ...notice, _eventId });
    return { status: 200, body: { ...notice, _eventId } };
  }

  private refuse(response: ServerResponse, violation: string): void {
    this.violations.push(violation);
    send(response, { status: 500, body: { message: violation } });
  }
}

/** What the address and the token of a request lack, and what is too much. */
function signOf({ expected, url }: Exchange, authorization: string | undefined): (string | false)[] {
  const surplus = [...url.searchParams.keys()].filter((name) => name !== 'nsfilter' && !expected.parameters.includes(name));
  return [
    !authorization?.startsWith('Bearer ') && 'no token',
    !url.searchParams.has('nsfilter') && !url.pathname.includes('/requests/') && 'no nsfilter',
    surplus.length > 0 && `parameters ${surplus.join(', ')}`,
  ];
}

function send(response: ServerResponse, { status, body, headers }: Reply): void {
  const isBytes = Buffer.isBuffer(body);
  response.writeHead(status, { ...(!isBytes && { 'content-type': 'application/json' }), ...headers });
  response.end(isBytes || body === undefined ? body : JSON.stringify(body));
}

function breakOff(response: ServerResponse, { body }: Reply): void {
  const bytes = body as Buffer;
  response.writeHead(200, { 'content-length': bytes.length }).write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => response.destroy());
}

/** JSON, the bytes of a message of several parts, or a text. */
async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  const type = request.headers['content-type'] ?? '';
  if (type.startsWith('multipart/')) return bytes;
  if (bytes.length === 0) return undefined;
  return type.includes('json') ? (JSON.parse(bytes.toString()) as unknown) : bytes.toString();
}
