import type { FastifyInstance } from 'fastify';

/** An answer that is JSON already, as a store gave it: it goes out as it is. */
export class JsonText {
  constructor(readonly text: string) {}

  /** Inside of what is not text yet it costs what it was to save, and says the same. */
  toJSON(): unknown {
    return JSON.parse(this.text) as unknown;
  }
}

export const jsonOf = (value: unknown): string => (value instanceof JsonText ? value.text : JSON.stringify(value));

/** An object, which holds something, with one more member. */
export const withMember = (object: object, name: string, value: JsonText): JsonText => new JsonText(`${JSON.stringify(object).slice(0, -1)},${JSON.stringify(name)}:${value.text}}`);

/** Whatever else a handler answers becomes JSON as ever. */
export function sendJsonTexts(instance: FastifyInstance): void {
  instance.setReplySerializer(jsonOf);
}
