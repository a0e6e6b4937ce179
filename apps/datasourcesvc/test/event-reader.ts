import type { AddressInfo } from 'node:net';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { NS, RUNS } from './running-service';

export interface LogEvent {
  readonly id: number;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface FollowOptions {
  readonly ns?: string;
  readonly lastEventId?: string;
}

interface Piece {
  readonly done: boolean;
  readonly value?: Uint8Array | undefined;
}

/** Follows the log of a run, as a client of server-sent events does. */
export class EventReader {
  private readonly read: () => Promise<Piece>;
  private readonly decoder = new TextDecoder();
  private text = '';

  private constructor(readonly response: Response, private readonly controller: AbortController) {
    const reader = response.body?.getReader();
    this.read = async () => (await reader?.read()) ?? { done: true };
  }

  static async open(app: NestFastifyApplication, token: string, runId: string, { ns = NS, lastEventId }: FollowOptions = {}): Promise<EventReader> {
    const { port } = app.getHttpServer().address() as AddressInfo;
    const controller = new AbortController();
    const response = await fetch(`http://127.0.0.1:${port}${RUNS}/logs/${runId}?follow=true&nsfilter=${ns}`, {
      headers: { authorization: `Bearer ${token}`, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) }, signal: controller.signal,
    });
    return new EventReader(response, controller);
  }

  get status(): number {
    return this.response.status;
  }

  /** Of the next record; `undefined` when the line is over. Comments are passed over. */
  async next(): Promise<LogEvent | undefined> {
    for (;;) {
      const block = await this.nextBlock();
      if (block === undefined) return undefined;
      if (!block.startsWith(':')) return toEvent(block);
    }
  }

  /** Until the line is over. */
  async rest(): Promise<LogEvent[]> {
    const events: LogEvent[] = [];
    for (let event = await this.next(); event !== undefined; event = await this.next()) events.push(event);
    return events;
  }

  /** Of an answer that is no stream of events. */
  async body(): Promise<unknown> {
    let text = '';
    for (let piece = await this.read(); piece.value !== undefined; piece = await this.read()) text += this.decoder.decode(piece.value);
    return text === '' ? undefined : JSON.parse(text);
  }

  close(): void {
    this.controller.abort();
  }

  private async nextBlock(): Promise<string | undefined> {
    while (!this.text.includes('\n\n')) {
      const { done, value } = await this.read();
      if (done) return undefined;
      this.text += this.decoder.decode(value, { stream: true });
    }
    const end = this.text.indexOf('\n\n');
    const block = this.text.slice(0, end);
    this.text = this.text.slice(end + 2);
    return block;
  }
}

function toEvent(block: string): LogEvent {
  const [id = '', data = ''] = block.split('\n');
  return { id: Number(id.replace('id: ', '')), data: JSON.parse(data.replace('data: ', '')) as LogEvent['data'] };
}
