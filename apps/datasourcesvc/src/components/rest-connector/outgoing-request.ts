import { invalidField } from '@twinyard/conventions';
import type { RestMethod, RestParams } from './rest-params';
import { type Place, secretsNamedIn, type Templates } from './templates';

/** One request as it is sent, but for what HTTP itself adds. */
export interface OutgoingRequest {
  readonly method: RestMethod;
  readonly url: URL;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Headers that are for the first origin alone. */
  readonly confidential: readonly string[];
  /** Whether a secret stands in the body. */
  readonly isBodyConfidential: boolean;
}

const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]{1,256}$/;
/** What stands in a line of a header (RFC 9110 section 5.5). */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** They are made of the request, and of the line that it takes. */
const OWN = new Set([
  'accept-encoding', 'connection', 'content-length', 'expect', 'host', 'keep-alive', 'proxy-authorization', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade',
]);
/** For whom the caller knows at an origin, whoever wrote them. */
const OF_CALLERS = ['authorization', 'cookie'];
const MOST = { url: 8_192, headers: 100, headerBytes: 32_768, bodyBytes: 10 * 1024 ** 2 } as const;
const SAFE: readonly RestMethod[] = ['GET', 'HEAD', 'OPTIONS'];

/** The address with its query. Secrets have no place in it: addresses are logged by whoever sees them. */
export function toUrl({ url, query }: RestParams, templates: Templates): URL {
  const filled = templates.text(url, { at: 'url', encode: encoded });
  const parsed = URL.canParse(filled) ? new URL(filled) : undefined;
  if (parsed === undefined || !['http:', 'https:'].includes(parsed.protocol)) throw invalidField('url', 'must be an address of http or https');
  if (parsed.username !== '' || parsed.password !== '') throw invalidField('url', 'must not hold a user or a password: a header is for them');
  for (const [name, value] of queryOf(query, templates)) parsed.searchParams.append(name, value);
  parsed.hash = '';
  if (parsed.href.length > MOST.url) throw invalidField('url', `is longer than ${MOST.url} characters`);
  return parsed;
}

/** `key`: the same whenever the step is begun again, so that the other side can tell. */
export function toRequest(params: RestParams, url: URL, key: string, templates: Templates): OutgoingRequest {
  const { method } = params;
  const { text, type } = bodyOf(params.body, templates);
  const written = headersOf(params.headers, templates);
  const confidential = Object.entries(params.headers).filter(([name, value]) => secretsNamedIn(value, name).length > 0).map(([name]) => name.toLowerCase());
  return {
    method,
    url,
    headers: {
      accept: 'application/json, */*;q=0.5', 'user-agent': 'Twinyard',
      ...(type !== undefined && { 'content-type': type }),
      ...(!SAFE.includes(method) && { 'idempotency-key': key }),
      ...written,
      'accept-encoding': 'gzip, br',
    },
    ...(text !== undefined && { body: text }),
    confidential: [...OF_CALLERS, ...confidential],
    isBodyConfidential: secretsNamedIn(params.body, 'body').length > 0,
  };
}

/** The same to another address. What is secret goes to no other origin, be it one that may be called. */
export function readdressed(request: OutgoingRequest, url: URL): OutgoingRequest {
  if (url.origin === request.url.origin) return { ...request, url };
  const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !request.confidential.includes(name)));
  return { ...request, url, headers };
}

function queryOf(query: RestParams['query'], templates: Templates): [string, string][] {
  return Object.entries(query).flatMap(([name, value]) => {
    const values: unknown[] = Array.isArray(value) ? value : [value];
    return values.filter((one) => one !== null).map((one): [string, string] => [name, scalar(one, `query.${name}`, templates)]);
  });
}

function headersOf(headers: RestParams['headers'], templates: Templates): Record<string, string> {
  const written = Object.entries(headers).filter(([, value]) => value !== null).map(([name, value]): [string, string] => {
    const at = `headers.${name}`;
    const known = name.toLowerCase();
    if (!NAME.test(known)) throw invalidField(at.slice(0, 300), 'is no name of a header');
    if (OWN.has(known)) throw invalidField(at, 'is not for the caller to say');
    const text = scalar(value, at, templates, true).trim();
    if (!VALUE.test(text)) throw invalidField(at, 'holds a character that no header may have');
    return [known, text];
  });
  if (new Set(written.map(([name]) => name)).size < written.length) throw invalidField('headers', 'name one twice');
  const size = written.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (written.length > MOST.headers || size > MOST.headerBytes) throw invalidField('headers', `are more than ${MOST.headers}, or ${MOST.headerBytes} bytes`);
  return Object.fromEntries(written);
}

function scalar(value: unknown, at: string, templates: Templates, takesSecrets = false): string {
  if (typeof value === 'string') return templates.text(value, { at, takesSecrets });
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw invalidField(at, 'must be a text, a number, true or false');
}

/** A text goes as it is, anything else as JSON. */
function bodyOf(body: unknown, templates: Templates): { readonly text?: string; readonly type?: string } {
  if (body === undefined) return {};
  const place: Place = { at: 'body', takesSecrets: true };
  const filled = templates.value(body, place);
  const isText = typeof filled === 'string';
  const text = isText ? filled : JSON.stringify(filled);
  if (Buffer.byteLength(text) > MOST.bodyBytes) throw invalidField('body', `is larger than ${MOST.bodyBytes / 1024 ** 2} MB`);
  return { text, type: isText ? 'text/plain; charset=utf-8' : 'application/json' };
}

/** A part of a path or a query, and never a step up in it. */
function encoded(value: string, at: string): string {
  if (/^\.{1,2}$/.test(value)) throw invalidField(at, 'a value that is put into a path must not be a step in it');
  return encodeURIComponent(value.toWellFormed());
}
