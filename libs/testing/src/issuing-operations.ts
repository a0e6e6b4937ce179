export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses?: Readonly<Record<string, ApiResponse>> }>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

export interface ApiResponse {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

/** `access_token`, `client_secret`, `_secret`, … */
const CREDENTIAL = /(^|_)(token|secret)$/;

/** What a path ends with where something is made that acts for its maker later, with no credential that anybody sees. */
const ACTS_LATER = /(run|invite|schedule|subscription|trigger)s?$|run\/\{id\}\/retry$/;

/** Of a schema that is named elsewhere. */
export const nameOf = ($ref: string) => $ref.slice($ref.lastIndexOf('/') + 1);

const partsOf = ({ properties = {}, items, allOf = [], anyOf = [], oneOf = [] }: Schema): readonly Schema[] =>
  [...Object.values(properties), ...allOf, ...anyOf, ...oneOf, ...(items === undefined ? [] : [items])];

/** `POST /path` for every write whose answer can hold a token or a secret, as the document of a service says. */
export function issuingOperations({ paths, components }: ApiDocument): string[] {
  const tells = (schema: Schema | undefined, seen: ReadonlySet<string>): boolean => {
    if (schema === undefined) return false;
    const { $ref, properties = {} } = schema;
    if ($ref !== undefined) return !seen.has($ref) && tells(components?.schemas?.[nameOf($ref)], new Set([...seen, $ref]));
    return Object.keys(properties).some((name) => CREDENTIAL.test(name)) || partsOf(schema).some((part) => tells(part, seen));
  };
  const issues = (responses: Readonly<Record<string, ApiResponse>> = {}) =>
    Object.entries(responses).some(([status, { content }]) => status.startsWith('2') && Object.values(content ?? {}).some(({ schema }) => tells(schema, new Set())));
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).filter(([method, { responses }]) => method !== 'get' && issues(responses)).map(([method]) => `${method.toUpperCase()} ${path}`)).sort();
}

/** `POST /path` for whatever acts for its maker later, or lets somebody in: nothing in its answer gives it away, so it is told by its name. */
export const actingOperations = ({ paths }: ApiDocument): string[] =>
  Object.entries(paths).filter(([path, methods]) => ACTS_LATER.test(path) && methods['post'] !== undefined).map(([path]) => `POST ${path}`).sort();
