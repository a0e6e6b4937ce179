import { ItemService, type Json } from './item-service';

describe('the reference', () => {
  let items: ItemService;
  beforeAll(async () => { items = await ItemService.start(); });
  afterAll(() => items.stop());

  it('describes every operation with its parameters, bodies and pages', async () => {
    const { status, body } = await items.get('/itemsvc/api/v1/openapi.json', { as: '' });
    expect(status).toBe(200);
    const operations = Object.entries(body.paths as Json).flatMap(([path, methods]) => Object.keys(methods as Json).map((method) => `${method} ${path}`));
    expect(operations).toEqual(expect.arrayContaining([
      'post /itemsvc/api/v1/nameduseritems/search', 'delete /itemsvc/api/v1/nameduseritems/{id}/relateditems/bulk', 'get /itemsvc/api/v1/requests/{id}',
      'put /nameduseritems/{id}/versions/{versionId}', 'put /itemsvc/api/v1/permissions',
    ]));
    expect(Object.keys(body.components.schemas as Json)).toEqual(expect.arrayContaining(['NamedItemPageDto', 'VersionPageDto', 'RelatedItemPageDto', 'RelationshipPageDto', 'ReadingPageDto']));
    const list = body.paths['/itemsvc/api/v1/nameduseritems'].get;
    expect(list.parameters.map(({ name }: Json) => name).sort()).toEqual(['_offset', '_pageSize', 'nsfilter', 'page', 'project', 'query', 'sort']);
    expect(list.responses['200'].content['application/json'].schema).toEqual({ $ref: '#/components/schemas/NamedItemPageDto' });
    expect(body.components.schemas.NamedItemPageDto.properties._list.items).toEqual({ $ref: '#/components/schemas/NamedItemDto' });
  });

  it('answers health to whoever runs the service', async () => {
    expect((await items.get('/health/ready', { as: '', nsfilter: null })).status).toBe(200);
  });
});
