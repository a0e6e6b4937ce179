import { invalidField, type ServiceName } from '@twinyard/conventions';
import { z } from 'zod';
import { multipartOf } from './multipart';
import { toOperationPath, toQuery } from './operation-paths';
import { parseAsked } from './parse-asked';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type ScriptMethod = (typeof METHODS)[number];
const BODILESS: readonly ScriptMethod[] = ['GET', 'HEAD'];

type Headers = Readonly<Record<string, string>>;

/** What a script asks of the platform, judged and ready to be sent. */
export interface ScriptRequest {
  readonly service: ServiceName;
  readonly method: ScriptMethod;
  /** With its query; begins with `/`. */
  readonly path: string;
  /** By names in lower case. */
  readonly headers: Headers;
  readonly body?: string | Uint8Array;
  /** The same again does nothing twice, also where the first answer was lost. Where it is false, a key is what is needed for that. */
  readonly isRepeatable: boolean;
}

/** How the answer is to be read. */
export interface ReadAs {
  readonly isText: boolean;
  readonly encoding: string;
}

/** What may be said of a request; whose it is, where it goes and how it is framed are none of the script's. */
const HEADERS: readonly string[] = ['accept', 'content-type', 'idempotency-key', 'if-match', 'if-none-match', 'prefer'];
/** As HTTP has them, without what would end the line. */
const VALUE = /^[\x20-\x7e\x80-\xff]{0,1000}$/;
const MOST_QUERY = 65_536;
/** They change nothing. */
const READING_POSTS = [/\/nameduseritems\/search$/, /\/readings\/aggregate$/, /\/schemadefinitions\/generate$/, /\/permissions\/check$/, /\/trigger\/rehearse$/];
/** The same readings again change nothing (contract 2.7). */
const REPEATABLE_POSTS = [...READING_POSTS, /\/readings$/];

const asked = z.object({
  method: z.string().toUpperCase().pipe(z.enum(METHODS)),
  path: z.string(),
  query: z.record(z.string(), z.unknown()).nullish(),
  headers: z.record(z.string(), z.unknown()).nullish(),
  json: z.string().optional(),
  text: z.string().optional(),
  base64: z.string().optional(),
  file: z.object({ name: z.string(), type: z.string().nullish(), text: z.string().optional(), base64: z.string().optional() }).optional(),
  isText: z.boolean().default(false),
  encoding: z.string().nullish(),
  isRepeatable: z.boolean().default(false),
});
type Asked = z.output<typeof asked>;

/** @throws ServiceError `invalid` or `forbidden`: it may come from anywhere in a script */
export function toScriptRequest(input: unknown, namespaces: readonly string[]): ScriptRequest & ReadAs {
  const { method, headers, isText, ...data } = parseAsked(asked, input);
  const { service, path, query } = toOperationPath(data.path);
  const body = bodyOf(data);
  if (body && BODILESS.includes(method)) throw invalidField('body', `${method} has none`);
  return {
    service, method, path: `${path}?${shortEnough(toQuery(query, data.query ?? {}, namespaces))}`, headers: { ...body?.defaults, ...toHeaders(headers ?? {}), ...body?.fixed },
    ...(body && { body: body.content }), isRepeatable: data.isRepeatable || isRepeatable(method, path), isText, encoding: data.encoding ?? 'utf-8',
  };
}

function shortEnough(query: URLSearchParams): string {
  const text = query.toString();
  if (text.length > MOST_QUERY) throw invalidField('query', `has more than ${MOST_QUERY} characters`);
  return text;
}

function toHeaders(given: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== null).map(([written, value]) => {
    const name = written.toLowerCase();
    if (!HEADERS.includes(name)) throw invalidField('headers', `may hold ${HEADERS.join(', ')}, and not ${JSON.stringify(written.slice(0, 100))}`);
    if (typeof value !== 'string' || !VALUE.test(value)) throw invalidField(`headers.${name}`, 'must be a text of at most 1,000 characters that a header may hold');
    return [name, value];
  }));
}

interface Body {
  readonly content: string | Uint8Array;
  /** Headers that the script may say otherwise, and that it may not. */
  readonly defaults?: Headers;
  readonly fixed?: Headers;
}

function bodyOf({ json, text, base64, file }: Pick<Asked, 'json' | 'text' | 'base64' | 'file'>): Body | undefined {
  if (file) {
    const { content, type } = multipartOf({ name: file.name, ...(file.type && { type: file.type }), content: contentOf(file) });
    return { content, fixed: { 'content-type': type } };
  }
  if (json !== undefined) return { content: json, defaults: { 'content-type': 'application/json' } };
  if (text !== undefined) return { content: text, defaults: { 'content-type': 'text/plain; charset=utf-8' } };
  return base64 === undefined ? undefined : { content: Buffer.from(base64, 'base64'), defaults: { 'content-type': 'application/octet-stream' } };
}

const contentOf = ({ text = '', base64 }: Pick<Asked, 'text' | 'base64'>): Uint8Array => (base64 === undefined ? Buffer.from(text) : Buffer.from(base64, 'base64'));

function isRepeatable(method: ScriptMethod, path: string): boolean {
  if (method === 'POST') return REPEATABLE_POSTS.some((pattern) => pattern.test(path));
  return method === 'GET' || method === 'HEAD' || method === 'PUT';
}
