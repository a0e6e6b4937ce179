import { Turn } from '@twinyard/conventions';
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

/** Characters from which a text is written in UTF-8 in turns; the socket would do it in one go. */
const LONG_FROM = 256 * 1024;

/** A long text in UTF-8, in as many turns as it takes. */
export async function bytesInTurns(text: string): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  const turn = new Turn();
  for (let [from, at] = [0, 0]; from < text.length;) {
    if (turn.isOver) await turn.pass();
    const to = endOfPart(text, from + LONG_FROM);
    at += bytes.write(text.slice(from, to), at);
    from = to;
  }
  return bytes;
}

/** Not between the halves of a surrogate pair. */
const endOfPart = (text: string, to: number) => (isHighSurrogate(text.charCodeAt(to - 1)) ? to + 1 : to);
const isHighSurrogate = (code: number) => code >= 0xd8_00 && code <= 0xdb_ff;

const isLong = (payload: unknown): payload is JsonText & { readonly json: string } => payload instanceof JsonText && typeof payload.json === 'string' && payload.json.length > LONG_FROM;

/** Whatever else a handler answers becomes JSON as ever. */
export function sendJsonTexts(instance: FastifyInstance): void {
  instance.addHook('preSerialization', (_request, _reply, payload, done) => {
    if (!isLong(payload)) return done(null, payload);
    bytesInTurns(payload.json).then((bytes) => done(null, new JsonText(bytes)), done);
  });
  // Fastify sends texts and buffers; its type speaks of texts alone.
  instance.setReplySerializer(jsonBytesOf as (payload: unknown) => string);
}
