import { Readable } from 'node:stream';
import { ServiceError, unavailable } from '@twinyard/conventions';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { FairShare } from '../fair-share/fair-share';
import { networkOf } from './network-of';
import { whenOver } from './when-over';

/** JSON longer than this is large. */
export const LARGE_BODY_BYTES = 256 * 1024;
/** A place is as much. */
const MEGABYTE = 1024 ** 2;
/** Of the memory, what the bodies of one address hold when no other sends any. */
const SHARE = 0.6;
const WAIT_MS = 30_000;

/** JSON is in memory as a whole before anybody is asked for a right: that of other types is streamed. */
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\b/i;

/**
 * Large JSON bodies share the memory that there is for them, so that what callers send cannot take more: each holds as many megabytes as it has from
 * before they are read until its answer is out. Who must wait leaves its bytes on the line. Addresses share the memory. Of a body that does not say its
 * length the beginning is read without a place; what is behind it may be as long as the route allows. `megabytes`: of all bodies together.
 */
export function boundBodyMemory(instance: FastifyInstance, megabytes: number): void {
  const share = new FairShare({
    places: megabytes, share: SHARE, waitMs: WAIT_MS, waiting: { requests: 1_000, bytes: Number.POSITIVE_INFINITY },
    tooMany: () => new ServiceError('too_many_requests', 'Too many large bodies of this address wait to be read already', { retryAfter: 1 }),
    tooLong: () => unavailable('Other large bodies take too long'),
  });
  const enter = async (request: FastifyRequest, reply: FastifyReply, bytes: number): Promise<void> => {
    const leave = await share.enter(networkOf(request.ip), 0, Math.ceil(Math.min(bytes, request.routeOptions.bodyLimit) / MEGABYTE));
    whenOver(request, reply, leave); // at once, where the caller has gone away while it waited
  };
  instance.addHook('preParsing', (request, reply, payload, done) => {
    const { headers } = request.raw;
    const [isOpen, length] = [headers['transfer-encoding'] !== undefined, Number(headers['content-length'] ?? 0)];
    if (!(isOpen || length > LARGE_BODY_BYTES) || !JSON_TYPE.test(headers['content-type'] ?? '')) return done(null, payload);
    if (isOpen) return done(null, waitingStream(request, reply, (bytes) => enter(request, reply, bytes)));
    enter(request, reply, length).then(() => done(null, payload), done);
  });
}

/** A body of unknown length, which waits for its place where it turns out to be large. */
function waitingStream({ raw, routeOptions }: FastifyRequest, reply: FastifyReply, enter: (bytes: number) => Promise<void>): Readable {
  async function* pieces(): AsyncGenerator<Buffer> {
    let [length, isIn] = [0, false];
    try {
      for await (const piece of raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        length += piece.length;
        if (length > LARGE_BODY_BYTES && !isIn) {
          await enter(routeOptions.bodyLimit);
          isIn = true;
        }
        yield piece;
      }
    } finally {
      // Whoever is refused in the midst of it hears the answer: what is left is read and dropped.
      raw.resume();
    }
  }
  const stream = Readable.from(pieces(), { objectMode: false });
  reply.raw.once('finish', () => stream.destroy());
  return stream;
}
