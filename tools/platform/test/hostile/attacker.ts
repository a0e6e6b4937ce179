import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, fetch, type RequestInit, type Response } from 'undici';
import { BEGINNING, inWords, lineInWords } from './answers';
import type { Scene, Tally } from './scene';

export interface HostileRequest {
  readonly method?: string;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  /** As it is, in the place of `body`. */
  readonly text?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What the next step of an attack may need of an answer; nothing of one that broke. */
export interface Answer {
  /** What the body begins with. */
  readonly text: string;
  /** Where to ask about a request that is worked on later. */
  readonly location?: string;
}

export interface Line {
  readonly socket: Socket;
  /** What came first, as it is counted; `closed` or `broken` where nothing came. */
  readonly said: Promise<string>;
  readonly closed: Promise<void>;
}

const ITEMS = '/itemsvc/api/v1/nameduseritems';
const CONNECTIONS = 64;

/** A caller that means harm: sends from an address of its own, takes every answer for granted, and counts them. */
export class Attacker {
  private readonly agent: Agent;
  private readonly sockets = new Set<Socket>();
  readonly statuses: Record<string, number> = {};
  /** Resolves when the attack is over. */
  readonly ended: Promise<void>;

  constructor(readonly scene: Scene, private readonly signal: AbortSignal) {
    this.agent = new Agent({ connections: CONNECTIONS, connect: { localAddress: scene.address } });
    this.ended = new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  }

  get over(): boolean {
    return this.signal.aborted;
  }

  /** Of a collection of the hostile tenant. */
  items(collection: { readonly _id?: unknown }, rest: string): string {
    return `${ITEMS}/${String(collection._id)}/relateditems${rest}`;
  }

  async send(path: string, request: HostileRequest = {}): Promise<Answer> {
    try {
      const response = await fetch(this.urlOf(path, request), this.initOf(request));
      const text = await this.take(response);
      const location = response.headers.get('location');
      return { text, ...(location !== null && { location: new URL(location).pathname }) };
    } catch {
      this.count('broken');
      return { text: '' };
    }
  }

  /** The whole, as by anybody who asks; it is counted by what it begins with. */
  private async take({ status, body }: Response): Promise<string> {
    let text = '';
    for await (const chunk of body ?? []) {
      if (text === '') {
        text = Buffer.from((chunk as Uint8Array).subarray(0, BEGINNING)).toString();
        this.count(inWords(status, text));
      }
      if (this.over) break;
    }
    if (text === '') this.count(inWords(status, text));
    return text;
  }

  private urlOf(path: string, { query = {} }: HostileRequest): URL {
    const url = new URL(path, this.scene.origin);
    for (const [name, value] of Object.entries({ nsfilter: this.scene.namespace, ...query })) {
      url.searchParams.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
    }
    return url;
  }

  private initOf({ method = 'GET', body, text, headers = {} }: HostileRequest): RequestInit {
    const payload = text ?? (body === undefined ? undefined : JSON.stringify(body));
    return {
      method, dispatcher: this.agent, signal: this.signal,
      headers: { authorization: `Bearer ${this.scene.token}`, 'content-type': 'application/json', ...headers },
      ...(payload !== undefined && { body: payload }),
    };
  }

  /** A connection on which anything may be said. It counts that it was opened, and what it was told first. */
  open(): Line {
    const { hostname, port } = new URL(this.scene.origin);
    const socket = connect({ host: hostname, port: Number(port), localAddress: this.scene.address });
    this.sockets.add(socket);
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    const said = new Promise<string>((resolve) => {
      socket.once('data', (chunk: Buffer) => resolve(lineInWords(chunk.toString('latin1'))));
      socket.once('close', (hadError) => resolve(hadError ? 'broken' : 'closed'));
    });
    socket.once('connect', () => this.count('opened')).once('close', () => this.sockets.delete(socket)).on('error', () => undefined);
    void said.then((what) => this.count(what));
    return { socket, said, closed };
  }

  /** So many loops at once, each as often as it can until the attack is over; `most` bounds them together. */
  async repeat(loops: number, most: number, work: (turn: number) => Promise<unknown>): Promise<void> {
    let turn = 0;
    const loop = async () => {
      while (!this.over && turn < most) await work(turn++);
    };
    await Promise.all(Array.from({ length: loops }, loop));
  }

  /** Shorter when the attack is over. */
  async pause(ms: number): Promise<void> {
    await Promise.race([delay(ms, undefined, { ref: false }), this.ended]);
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await this.agent.destroy();
  }

  /** What comes of the end of the attack is nobody's answer. */
  count(what: string): void {
    if (!this.over) this.statuses[what] = (this.statuses[what] ?? 0) + 1;
  }
}

export const tallyOf = (attackers: Readonly<Record<string, Attacker>>): Tally =>
  Object.fromEntries(Object.entries(attackers).map(([name, { statuses }]) => [name, statuses]));
