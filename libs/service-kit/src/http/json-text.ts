import type { FastifyInstance } from 'fastify';

/** An answer that is JSON already, as a store gave it: it goes out as it is. */
export class JsonText {
  /** `json`: as a text or as its UTF-8. */
  constructor(readonly json: string | Buffer) {}

  get text(): string {
    return this.json.toString();
  }

  /** `ascii`: a text of ASCII. Nothing else is decoded. */
  startsWith(ascii: string): boolean {
    return typeof this.json === 'string' ? this.json.startsWith(ascii) : this.json.toString('latin1', 0, ascii.length) === ascii;
  }

  /** Inside of what is not text yet it costs what it was to save, and says the same. */
  toJSON(): unknown {
    return JSON.parse(this.text) as unknown;
  }
}

export const jsonOf = (value: unknown): string => (value instanceof JsonText ? value.text : JSON.stringify(value));

/** An object, which holds something, with one more member. */
export function withMember(object: object, name: string, { json }: JsonText): JsonText {
  const head = `${JSON.stringify(object).slice(0, -1)},${JSON.stringify(name)}:`;
  return new JsonText(typeof json === 'string' ? `${head}${json}}` : Buffer.concat([Buffer.from(head), json, END_OF_OBJECT]));
}

const END_OF_OBJECT = Buffer.from('}');

/** As it goes out or to a database: what is UTF-8 already stays so. */
export const jsonBytesOf = (value: unknown): string | Buffer => (value instanceof JsonText ? value.json : JSON.stringify(value));

/** Whatever else a handler answers becomes JSON as ever. */
export function sendJsonTexts(instance: FastifyInstance): void {
  // Fastify sends texts and buffers; its type speaks of texts alone.
  instance.setReplySerializer(jsonBytesOf as (payload: unknown) => string);
}
