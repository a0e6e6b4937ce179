import type { FastifyInstance } from 'fastify';

/** An answer that is JSON already, as a store gave it: it goes out as it is. */
export class JsonText {
  constructor(readonly text: string) {}
}

/** Whatever else a handler answers becomes JSON as ever. */
export function sendJsonTexts(instance: FastifyInstance): void {
  instance.setReplySerializer((payload) => (payload instanceof JsonText ? payload.text : JSON.stringify(payload)));
}
