import { SERVICES, type ServiceName } from '@twinyard/conventions';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mergedDocument, type ServiceDocument } from './merged-document';

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const documentOf = (path: string, schemas: Record<string, unknown>): ServiceDocument =>
  ({ openapi: '3.1.0', info: { title: path, version: '1' }, paths: { [path]: { get: { responses: { 200: ref('Page') } } } }, components: { schemas, securitySchemes: { bearer: { type: 'http' } } } });
const committed = (service: ServiceName) => JSON.parse(readFileSync(join(__dirname, '../../../../../apps', service, 'openapi.json'), 'utf8')) as ServiceDocument;

describe('the document of all services', () => {
  it('has once what all say alike', () => {
    const schemas = { Page: { items: ref('Record') }, Record: { type: 'string' } };
    const { paths, components } = mergedDocument(new Map([['filesvc', documentOf('/f', schemas)], ['itemsvc', documentOf('/i', schemas)]]));
    expect(Object.keys(paths)).toEqual(['/i', '/f']);
    expect(components).toEqual({ schemas, securitySchemes: { bearer: { type: 'http' } } });
  });

  it('says once what all say at their end, and has each heading once, under the service that is first to have it', () => {
    const saying = (path: string, own: string, tags: readonly string[]): ServiceDocument =>
      ({ ...documentOf(path, {}), info: { title: path, version: '1', description: `${own}\n\nFor all.` }, tags: tags.map((name) => ({ name })) });
    const merged = mergedDocument(new Map([['filesvc', saying('/f', 'Files.', ['files', 'permissions'])], ['itemsvc', saying('/i', 'Items.', ['items', 'permissions'])]]));
    expect(merged.info.description).toBe('For all.\n\n# /i\n\nItems.\n\n# /f\n\nFiles.');
    expect(merged.tags?.map(({ name }) => name).sort()).toEqual(['files', 'items', 'permissions']);
    expect(merged['x-tagGroups']).toEqual([{ name: '/i', tags: ['items', 'permissions'] }, { name: '/f', tags: ['files'] }]);
  });

  it('names apart what is different, and what refers to it', () => {
    const files = documentOf('/f', { Page: { items: ref('Record') }, Record: { type: 'string' }, Other: ref('Record') });
    const items = documentOf('/i', { Page: { items: ref('Record') }, Record: { type: 'number' } });
    expect(mergedDocument(new Map([['filesvc', files], ['itemsvc', items]]))).toMatchObject({
      paths: { '/f': { get: { responses: { 200: ref('FilesvcPage') } } }, '/i': { get: { responses: { 200: ref('ItemsvcPage') } } } },
      components: {
        schemas: {
          FilesvcPage: { items: ref('FilesvcRecord') }, FilesvcRecord: { type: 'string' }, Other: ref('FilesvcRecord'),
          ItemsvcPage: { items: ref('ItemsvcRecord') }, ItemsvcRecord: { type: 'number' },
        },
      },
    });
  });

  it('has every operation of the seven services, and every schema that one refers to', () => {
    const documents = new Map(SERVICES.map((service) => [service, committed(service)]));
    const merged = mergedDocument(documents);
    expect(Object.keys(merged.paths).sort()).toEqual([...documents.values()].flatMap(({ paths }) => Object.keys(paths)).sort());
    const named = new Set([...JSON.stringify(merged).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name = '']) => name));
    expect([...named].filter((name) => !(name in (merged.components?.schemas ?? {})))).toEqual([]);
  });
});
