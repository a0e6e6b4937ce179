import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hasLine } from './line-watch';

const waiting = new WeakMap<Socket, Set<() => void>>();
const ends = new WeakMap<ServerResponse, (() => void)[]>();

/**
 * Calls `over` once: when the answer is out, or the caller gone. An answer that waits behind another on its connection (pipelining, RFC 9112
 * section 9.3.2) hears nothing of the end of that connection, so the connection itself is asked.
 */
export function whenOver({ raw: request }: FastifyRequest, { raw: answer }: FastifyReply, over: () => void): void {
  const socket = hasLine(request) ? request.socket : undefined;
  if (answer.closed || answer.destroyed || socket?.destroyed === true) return over();
  endsOf(answer, socket).push(over);
}

/** One listener for an answer, however many wait for its end. */
function endsOf(answer: ServerResponse, socket: Socket | undefined): (() => void)[] {
  const known = ends.get(answer);
  if (known !== undefined) return known;
  const waited: (() => void)[] = [];
  ends.set(answer, waited);
  const others = socket && waitingOn(socket);
  const end = () => {
    others?.delete(end);
    answer.off('close', end);
    for (const over of waited.splice(0)) over();
  };
  others?.add(end);
  answer.once('close', end);
  return waited;
}

/** Is aborted then. Whoever works for a caller asks it whether that one still waits. */
export function untilOver(reply: FastifyReply): AbortSignal {
  const over = new AbortController();
  whenOver(reply.request, reply, () => over.abort());
  return over.signal;
}

/** One listener for a connection, however many requests come over it. */
function waitingOn(socket: Socket): Set<() => void> {
  const known = waiting.get(socket);
  if (known !== undefined) return known;
  const ends = new Set<() => void>();
  waiting.set(socket, ends);
  socket.once('close', () => {
    for (const end of [...ends]) end();
  });
  return ends;
}
