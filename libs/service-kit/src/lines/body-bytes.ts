import type { IncomingMessage } from 'node:http';

const sizes = new WeakMap<IncomingMessage, number>();

export const noteBody = (request: IncomingMessage, bytes: number): void => void sizes.set(request, bytes);

/** Of a body that is in memory: the bytes that it had on the line, whether it said so or not. 0: it was left there, or there was none. */
export const bodyBytesOf = (request: IncomingMessage): number => sizes.get(request) ?? 0;
