import { invalid, invalidField, unavailable } from '@twinyard/conventions';
import type { ReadAs } from './script-request';

/** What the platform has answered to a request of a script; what it refuses is thrown. */
export interface ScriptAnswer {
  readonly status: number;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** As it crosses to the sandbox: JSON as a text, which is read there, in the time of the script. */
export interface ToldAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly json?: string;
  readonly text?: string;
  readonly base64?: string;
}

const TOLD_HEADERS: readonly string[] = ['content-type', 'etag', 'last-modified', 'location', 'retry-after', 'x-request-id'];

export function toldAnswer({ status, headers, body }: ScriptAnswer, { isText, encoding }: ReadAs): ToldAnswer {
  const told = { status, headers: Object.fromEntries(TOLD_HEADERS.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]]))) };
  if (isText) return { ...told, text: textOf(body, encoding) };
  if (body.byteLength === 0) return told;
  if (/[/+]json\b/i.test(headers['content-type'] ?? '')) return { ...told, json: jsonOf(body) };
  const text = decoded(body, 'utf-8');
  return text === undefined ? { ...told, base64: Buffer.from(body).toString('base64') } : { ...told, text };
}

function jsonOf(body: Uint8Array): string {
  const json = decoded(body, 'utf-8');
  if (json === undefined) throw unavailable('The answer is no JSON');
  return json;
}

function textOf(body: Uint8Array, encoding: string): string {
  const text = decoded(body, encoding);
  if (text === undefined) throw invalid(`What was read is no text in ${encoding}: name its encoding`);
  return text;
}

/** Without a mark of the byte order; `undefined` where it is none in this encoding. */
function decoded(body: Uint8Array, encoding: string): string | undefined {
  const decoder = decoderOf(encoding);
  try {
    return decoder.decode(body);
  } catch {
    return undefined;
  }
}

function decoderOf(encoding: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(encoding, { fatal: true });
  } catch {
    throw invalidField('encoding', `${JSON.stringify(encoding.slice(0, 100))} is none that is known`);
  }
}
