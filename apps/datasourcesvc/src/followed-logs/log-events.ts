import type { Readable } from 'node:stream';
import { invalidField } from '@twinyard/conventions';
import { whenOver } from '@twinyard/service-kit';
import type { FastifyReply, FastifyRequest } from 'fastify';

const POSITION = /^\d{1,15}$/;

/** How many records the reader has: what the last event that it heard names as `id`. 0 where it has none. */
export function parseLastEventId({ headers }: Pick<FastifyRequest, 'headers'>): number {
  const text = [headers['last-event-id']].flat()[0]?.trim() ?? '';
  if (text === '') return 0;
  if (!POSITION.test(text)) throw invalidField('Last-Event-ID', 'is no position of a log');
  return Number(text);
}

/** Without events 204: whoever connects again by itself stops then (WHATWG HTML, server-sent events). */
export function sendEvents(request: FastifyRequest, reply: FastifyReply, events: Readable | undefined): void {
  if (events === undefined) return void reply.code(204).send();
  if (reply.raw.destroyed) return void events.destroy();
  whenOver(request, reply, () => events.destroy());
  return void reply.headers({ 'Content-Type': 'text/event-stream; charset=utf-8', 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' }).send(events);
}
