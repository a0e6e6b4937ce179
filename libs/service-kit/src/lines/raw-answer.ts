import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { ERROR_STATUS, type ErrorCode, refusalAt } from '@twinyard/conventions';

/** So long what still comes is dropped, so that whoever sends it gets to read the answer; a connection that is reset takes it along. */
const LINGER_MS = 1_000;

const answered = new WeakSet<Socket>();

export interface RawRefusal {
  readonly message: string;
  readonly requestId: string;
  /** What was asked for, where that is known: it says in which shape refusals are read. */
  readonly url?: string | undefined;
}

/** An error where there is no reply to send it with: in the shape that is read there all the same, and the end of the connection. False where an answer has begun already. */
export function answerOnSocket(socket: Socket, code: ErrorCode, refusal: RawRefusal): boolean {
  if (answered.has(socket)) return false;
  answered.add(socket);
  if (!socket.writable || hasBegun(socket)) {
    socket.destroy();
    return false;
  }
  socket.end(messageOf(code, refusal));
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer)).resume();
  return true;
}

/** Whether a part of a response is on the line, behind which another one would be read as its body. */
const hasBegun = (socket: Socket) => (socket as unknown as { readonly _httpMessage?: { readonly headersSent: boolean } | null })._httpMessage?.headersSent === true;

function messageOf(code: ErrorCode, { message, requestId, url = '' }: RawRefusal): string {
  const status = ERROR_STATUS[code];
  const body = JSON.stringify(refusalAt(url, status, { message, code, requestId }));
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(code === 'too_many_requests' ? ['Retry-After: 1'] : []),
    `X-Request-Id: ${requestId}`,
    'X-Content-Type-Options: nosniff',
    'Connection: close', '', body,
  ].join('\r\n');
}
