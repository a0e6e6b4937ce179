import { capitalized, SERVICES, type ServiceName } from '@twinyard/conventions';

type Members = Readonly<Record<string, unknown>>;

/** What of an OpenAPI document is read here. */
export interface ServiceDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly description?: string; readonly version: string; readonly license?: unknown };
  readonly servers?: unknown;
  readonly tags?: readonly { readonly name: string }[];
  readonly paths: Members;
  readonly components?: { readonly schemas?: Members; readonly securitySchemes?: Members };
}

const REF = '#/components/schemas/';

/**
 * One document of all services. A schema that several have under one name is there once where it is the same in all of them, and else under a name with
 * that of its service before it.
 */
export function mergedDocument(documents: ReadonlyMap<ServiceName, ServiceDocument>): ServiceDocument {
  const all = SERVICES.flatMap((service) => {
    const document = documents.get(service);
    return document === undefined ? [] : [[service, document] as const];
  });
  const names = namesIn(all);
  const renamed = all.map(([service, document]) => withNames(document, names.get(service) ?? new Map<string, string>()));
  const [first] = renamed;
  if (first === undefined) throw new Error('no document to merge');
  return {
    openapi: first.openapi,
    info: {
      title: 'Twinyard', version: first.info.version, license: first.info.license,
      description: renamed.map(({ info: { title, description = '' } }) => `# ${title}\n\n${description}`).join('\n\n'),
    },
    servers: first.servers,
    tags: tagsIn(renamed),
    paths: Object.assign({}, ...renamed.map(({ paths }) => paths)) as Members,
    components: {
      schemas: Object.assign({}, ...renamed.map(({ components }) => components?.schemas)) as Members,
      securitySchemes: Object.assign({}, ...renamed.map(({ components }) => components?.securitySchemes)) as Members,
    },
  };
}

/** Each once, where the first service has it. */
const tagsIn = (documents: readonly ServiceDocument[]) => [...new Map(documents.flatMap(({ tags = [] }) => tags).reverse().map((tag) => [tag.name, tag])).values()].reverse();

/** By service: name of a schema → its name in the merged document. */
function namesIn(all: readonly (readonly [ServiceName, ServiceDocument])[]): ReadonlyMap<ServiceName, ReadonlyMap<string, string>> {
  const texts = new Map<string, string[]>();
  for (const [, { components }] of all) {
    for (const [name, schema] of Object.entries(components?.schemas ?? {})) texts.set(name, [...(texts.get(name) ?? []), JSON.stringify(schema)]);
  }
  const different = differentIn(texts);
  return new Map(all.map(([service, { components }]) => [service, new Map(Object.keys(components?.schemas ?? {}).filter((name) => different.has(name)).map((name) => [name, `${capitalized(service)}${name}`]))]));
}

/** Those of several services that say different things, or refer to such ones. */
function differentIn(texts: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const several = [...texts].filter(([, of]) => of.length > 1);
  const different = new Set(several.filter(([, of]) => new Set(of).size > 1).map(([name]) => name));
  for (let before = -1; before < different.size;) {
    before = different.size;
    for (const [name, [text = '']] of several) if ([...different].some((other) => text.includes(`"${REF}${other}"`))) different.add(name);
  }
  return different;
}

function withNames(document: ServiceDocument, names: ReadonlyMap<string, string>): ServiceDocument {
  const renamed = renameRefs(document, names);
  const schemas = Object.entries(renamed.components?.schemas ?? {}).map(([name, schema]) => [names.get(name) ?? name, schema]);
  return { ...renamed, components: { ...renamed.components, schemas: Object.fromEntries(schemas) as Members } };
}

function renameRefs<T>(node: T, names: ReadonlyMap<string, string>): T {
  if (Array.isArray(node)) return node.map((element: unknown) => renameRefs(element, names)) as T;
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(Object.entries(node).map(([name, value]) => {
    const isRef = name === '$ref' && typeof value === 'string' && value.startsWith(REF);
    const own = isRef ? (value as string).slice(REF.length) : '';
    return [name, isRef ? `${REF}${names.get(own) ?? own}` : renameRefs(value as unknown, names)];
  })) as T;
}
