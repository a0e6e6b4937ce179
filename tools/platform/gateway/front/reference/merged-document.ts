import { capitalized, SERVICES, type ServiceName } from '@twinyard/conventions';

type Members = Readonly<Record<string, unknown>>;

/** What of an OpenAPI document is read here. */
export interface ServiceDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly description?: string; readonly version: string; readonly license?: unknown };
  readonly servers?: unknown;
  readonly tags?: readonly { readonly name: string }[];
  readonly 'x-tagGroups'?: unknown;
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
      description: descriptionOf(renamed.map(({ info }) => info)),
    },
    servers: first.servers,
    tags: tagsIn(renamed),
    'x-tagGroups': groupsIn(renamed),
    paths: Object.assign({}, ...renamed.map(({ paths }) => paths)) as Members,
    components: {
      schemas: Object.assign({}, ...renamed.map(({ components }) => components?.schemas)) as Members,
      securitySchemes: Object.assign({}, ...renamed.map(({ components }) => components?.securitySchemes)) as Members,
    },
  };
}

/** What all services say at the end of theirs is said once, before them. */
function descriptionOf(infos: readonly ServiceDocument['info'][]): string {
  const parts = infos.map(({ title, description = '' }) => ({ title, paragraphs: description.split('\n\n') }));
  const [last = ''] = parts.map(({ paragraphs }) => paragraphs.at(-1));
  const isShared = parts.length > 1 && parts.every(({ paragraphs }) => paragraphs.at(-1) === last);
  const own = parts.map(({ title, paragraphs }) => [`# ${title}`, ...(isShared ? paragraphs.slice(0, -1) : paragraphs)].join('\n\n'));
  return [...(isShared ? [last] : []), ...own].join('\n\n');
}

/** Headings by service, for who shows them so (an extension that Redoc and Scalar know): each heading once. */
function groupsIn(documents: readonly ServiceDocument[]): { readonly name: string; readonly tags: readonly string[] }[] {
  const known = new Set<string>();
  return documents.map(({ info: { title }, tags = [] }) => {
    const own = tags.map(({ name }) => name).filter((name) => !known.has(name));
    for (const name of own) known.add(name);
    return { name: title, tags: own };
  });
}

/** Each once, where the last service has it: what all have comes at the end. */
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
