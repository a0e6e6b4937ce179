import { forbidden, invalidField, type ServiceName, SERVICES } from '@twinyard/conventions';

/** One operation of this platform, as a script names it. */
export interface OperationPath {
  readonly service: ServiceName;
  /** Without its query. */
  readonly path: string;
  /** What stood behind a question mark. */
  readonly query: URLSearchParams;
}

const MOST_CHARACTERS = 4_096;
const OF_A_SERVICE = new RegExp(`^/(${SERVICES.join('|')})/api/`);
/** What a server might take for a slash, a backslash or the end of the text, and what is no encoding. */
const TWISTED = /%(2f|5c|00|(?![0-9a-f]{2}))/i;
/** OAuth's and SCIM's operations are for who signs in or keeps the accounts of a house, not for what runs in their name. */
const CLOSED = /^(oauth|scim|\.well-known)(?!\w)/i;

/** @throws ServiceError `invalid` for what is no path of an operation, `forbidden` for those that are not for scripts */
export function toOperationPath(written: unknown): OperationPath {
  if (typeof written !== 'string' || written.length > MOST_CHARACTERS) throw invalidField('path', `must be a text of at most ${MOST_CHARACTERS} characters`);
  const [path = '', ...query] = written.split('?');
  // Dot segments, other hosts, backslashes, fragments and what has to be encoded do not come through as they are.
  if (TWISTED.test(path) || pathnameOf(path) !== path) throw invalidField('path', 'must be absolute, without dots as segments, and each part of it by encodeURIComponent');
  const [, service] = OF_A_SERVICE.exec(path) ?? [];
  if (service === undefined) throw invalidField('path', 'must begin with /<service>/api/');
  if (path.split('/').some((segment) => CLOSED.test(decoded(segment)))) throw forbidden(`${path} is not for scripts`);
  return { service: service as ServiceName, path, query: new URLSearchParams(query.join('?')) };
}

const ORIGIN = 'http://platform';

function pathnameOf(path: string): string | undefined {
  const url = URL.canParse(path, ORIGIN) ? new URL(path, ORIGIN) : undefined;
  return url?.origin === ORIGIN ? url.pathname : undefined;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw invalidField('path', 'is not encoded as UTF-8');
  }
}

/** What asks without `nsfilter` asks in the namespaces of the run. */
export function toQuery(inPath: URLSearchParams, given: Readonly<Record<string, unknown>>, namespaces: readonly string[]): URLSearchParams {
  const query = new URLSearchParams(inPath);
  for (const [name, value] of Object.entries(given)) for (const text of textsOf(value)) query.append(name, text);
  if (!query.has('nsfilter')) for (const namespace of namespaces) query.append('nsfilter', namespace);
  return query;
}

/** Contract 0.1: an array is a repeated key, an object is JSON. */
function textsOf(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((one: unknown) => (Array.isArray(one) ? [JSON.stringify(one)] : textsOf(one)));
  return [typeof value === 'object' ? JSON.stringify(value) : String(value)];
}
