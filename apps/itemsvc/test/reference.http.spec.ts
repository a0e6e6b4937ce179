import { ItemService, type Json, NS } from './item-service';
import { notAsDescribed } from './described-answers';

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

  it('describes what a generated client reads: values of any kind, pages of writes and searches, types without versions, and errors', async () => {
    const { body: document } = await items.get('/itemsvc/api/v1/openapi.json', { as: '' });
    const NAMED = '/itemsvc/api/v1/nameduseritems';
    const faults = (method: string, path: string, { status, body }: { status: number; body: Json }) => notAsDescribed(document, document.paths[path][method], status, body).map((fault) => `${method} ${path} ${status} ${fault}`);
    const draft = (_itemClass: string, _userData?: unknown) => ({ _name: 'Walls', _shortName: 'walls', _namespaces: [NS], _userType: 'walls', _itemClass, _version: { _userAttributes: { a: 1 }, _userData } });
    const made = await items.post('nameduseritems', [draft('NamedUserCollection'), draft('Script', 'export default 1'), draft('UserConfig', [null, 1])]);
    const [walls, script] = made.body._list as Json[];
    const rows = await items.post(`nameduseritems/${walls?._id}/relateditems`, [{ n: 1 }]);
    await items.put(`nameduseritems/${walls?._id}/relateditems/${rows.body._list[0]._id}`, { ...rows.body._list[0], n: 'two' });
    expect([
      ...faults('post', NAMED, made),
      ...faults('post', `${NAMED}/{id}/relateditems`, rows),
      ...faults('get', `${NAMED}/{id}/relateditems/{relatedItemId}/updatelogs`, await items.get(`nameduseritems/${walls?._id}/relateditems/${rows.body._list[0]._id}/updatelogs`)),
      ...faults('get', `${NAMED}/{id}/versions`, await items.get(`nameduseritems/${script?._id}/versions`)),
      ...faults('post', `${NAMED}/search`, await items.post('nameduseritems/search', { $findWithRelated: { parent: { collectionDesc: { _id: walls?._id } } } })),
      ...faults('post', '/itemsvc/api/v1/schemadefinitions/generate', await items.post('schemadefinitions/generate', undefined)),
      ...faults('get', NAMED, await items.get('nameduseritems', { query: { query: '{' } })),
      ...faults('put', `${NAMED}/{id}/relationships`, await items.put('nameduseritems/none/relationships', [])),
    ]).toEqual([]);
    expect(rows.status).toBe(201);
  });

  it('answers health to whoever runs the service', async () => {
    expect((await items.get('/health/ready', { as: '', nsfilter: null })).status).toBe(200);
  });
});
