import { builtInComponents } from '../src/components/built-in-components';
import { ping } from '../src/components/ping.component';
import { NS, ORCHESTRATORS, OTHER, RunningService } from './running-service';

const COMPONENTS = '/datasourcesvc/api/v1/orchcomponents';
const body = {
  _name: 'Nightly import', _description: 'of the model', _namespaces: [NS], _userType: 'import', _schemaversion: '2.0', _instant: false, _timeout: '1 * *',
  _params: { tasks: [
    { name: 'ping', _name: 'second', _sequenceno: 2, _actualparams: { a: 1 } },
    { _orchcomp: 'ping', _name: 'first', _sequenceno: 1, _actualparams: '{"b":2}' },
  ] },
};

describe('orchestrators over HTTP', () => {
  let service: RunningService;
  let owner: string;
  let viewer: string;
  let stranger: string;

  beforeAll(async () => {
    service = await RunningService.start();
    const { passport } = service;
    [owner, viewer, stranger] = await Promise.all([passport.token('owner'), passport.token('viewer'), passport.token('stranger')]);
    await passport.grant('owner', NS, ['*']);
    await passport.grant('viewer', NS, ['READ']);
    await passport.grant('stranger', OTHER, ['*']);
    await passport.grant('maker', NS, ['READ', 'CREATE', 'EDIT']);
  });

  afterAll(() => service?.stop());

  const create = (token: string, changes: object = {}) => service.call(token, 'post', ORCHESTRATORS).send({ ...body, ...changes });
  const created = async (changes: object = {}) => (await create(owner, changes).expect(200)).body as { id: string; orchsteps: { id: string }[] };

  it('is made with steps in the order of their numbers, and read back the same', async () => {
    const made = await created({ _surplus: 1 });
    expect(made).toMatchObject({
      _name: 'Nightly import', _namespaces: [NS], _userType: 'import', _class: 'NORMAL', _timeout: '1 * *', _createdby: 'owner', _updatedby: 'owner',
      _createdat: expect.stringMatching(/^\d{13}$/), _updatedat: expect.stringMatching(/^\d{13}$/),
      orchsteps: [
        { _name: 'first', _sequenceno: 1, _actualparams: '{"b":2}', _compid: ping.id, _orchcomp: 'ping', _orchid: made.id },
        { _name: 'second', _sequenceno: 2, _actualparams: '{"a":1}' },
      ],
    });
    expect(made).not.toHaveProperty('_surplus');
    expect((await service.call(viewer, 'get', `${ORCHESTRATORS}/${made.id}`).expect(200)).body).toEqual(made);
  });

  it('takes a whole record back, keeps its steps and their ids, and changes only what was changed', async () => {
    const made = await created();
    const { body: changed } = await service.call(owner, 'put', `${ORCHESTRATORS}/${made.id}`).send({ ...made, _name: 'Renamed', _createdby: 'somebody' }).expect(200);
    expect(changed).toEqual({ ...made, _name: 'Renamed', _updatedat: changed._updatedat });
    const { body: other } = await service.call(owner, 'put', `${ORCHESTRATORS}/${made.id}`).send({ _name: 'Again', _namespaces: [NS], _params: { tasks: [{ _orchcomp: 'ping' }] } }).expect(200);
    expect(other).toMatchObject({ _name: 'Again', _userType: 'import', _timeout: '1 * *', orchsteps: [{ _name: 'ping', _sequenceno: 1, _actualparams: '{}' }] });
    expect(await service.countEvents(made.id)).toBe(3);
  });

  it('names every fault at once and stores nothing', async () => {
    const before = (await service.call(owner, 'get', ORCHESTRATORS)).body._total;
    const { body: typed } = await create(owner, { _name: 7, _namespaces: [], _instant: 'yes' }).expect(400);
    expect(typed.details.map(({ field }: { field: string }) => field)).toEqual(expect.arrayContaining(['_name', '_namespaces', '_instant']));
    const { body: error } = await create(owner, {
      _namespaces: [OTHER], _timeout: 'soon', _params: { tasks: [{ _orchcomp: 'nothing' }, { _orchcomp: 'ping', _sequenceno: 'x', _actualparams: '[' }, 3] },
    }).expect(400);
    expect(error.details.map(({ field }: { field: string }) => field)).toEqual([
      '_namespaces', '_timeout', '_params.tasks[0]._orchcomp', '_params.tasks[1]._sequenceno', '_params.tasks[1]._actualparams', '_params.tasks[2]', '_params.tasks[2]._orchcomp',
    ]);
    await create(owner, { _params: { tasks: [] } }).expect(400);
    await create(owner, { _params: undefined }).expect(400);
    expect((await service.call(owner, 'get', ORCHESTRATORS)).body._total).toBe(before);
  });

  it('lists what the caller may read, page by page', async () => {
    await created();
    const all = (await service.call(viewer, 'get', ORCHESTRATORS).expect(200)).body;
    const second = (await service.call(viewer, 'get', ORCHESTRATORS).query({ _offset: 1, _pageSize: 1 }).expect(200)).body;
    expect(second).toMatchObject({ _offset: 1, _pageSize: 1, _total: all._total, _list: [all._list[1]] });
    await service.passport.grant('guest', NS, ['READ'], `datasourcesvc:orchestrator:${all._list[0].id}`);
    expect((await service.call(await service.passport.token('guest'), 'get', ORCHESTRATORS).expect(200)).body).toMatchObject({ _total: 1, _list: [all._list[0]] });
  });

  it('is closed to nobody and to other tenants; a viewer changes nothing', async () => {
    const { id } = await created();
    await service.call('x.y.z', 'get', ORCHESTRATORS).expect(401);
    expect((await service.call(stranger, 'get', ORCHESTRATORS).expect(200)).body).toMatchObject({ _total: 0, _list: [] });
    for (const method of ['get', 'put', 'delete'] as const) {
      await service.call(stranger, method, `${ORCHESTRATORS}/${id}`).send(method === 'get' ? undefined : body).expect(404);
    }
    await service.call(owner, 'get', `${ORCHESTRATORS}/${id}`, OTHER).expect(404);
    await create(stranger).expect(403);
    await create(viewer).expect(403);
    await service.call(viewer, 'put', `${ORCHESTRATORS}/${id}`).send(body).expect(403);
    await service.call(viewer, 'delete', `${ORCHESTRATORS}/${id}`).expect(403);
    await service.call(owner, 'delete', `${ORCHESTRATORS}/${id}`).expect(204);
    await service.call(owner, 'delete', `${ORCHESTRATORS}/${id}`).expect(404);
  });

  it('has the parameters of its steps held to their components, and takes back what is kept', async () => {
    const importing = (params: object) => ({ _params: { tasks: [{ _orchcomp: 'ping' }, { _orchcomp: 'csv_telemetry_import', _actualparams: params }] } });
    const { body: refused } = await create(owner, importing({ _fileId: 7, onConflict: 'add', columns: {} })).expect(400);
    expect(refused.details).toEqual([
      { field: '_params.tasks[1]._actualparams._fileId', issue: 'must be a text (it is a number)' },
      { field: '_params.tasks[1]._actualparams.columns', issue: 'must be an array of columns, or an object from column to measurement (it is an object)' },
      { field: '_params.tasks[1]._actualparams.onConflict', issue: 'must be one of replace, merge, keep (it is a string of 3 characters)' },
    ]);
    const paged = { _params: { tasks: [{ _orchcomp: 'rest_connector', _actualparams: { _toFile: { name: 'a' }, _paginate: { next: 'link', max: 2 } } }] } };
    expect((await create(owner, paged).expect(400)).body.details).toEqual([{ field: '_params.tasks[0]._actualparams._toFile', issue: 'is not for pages: leave out _paginate' }]);
    const made = await created(importing({ onConflict: 'merge', surplus: 1 }));
    await service.query(`UPDATE orchestrator SET steps = replace(steps::text, '"merge"', '"add"')::jsonb WHERE id = $1`, [made.id]);
    const { body: odd } = await service.call(owner, 'get', `${ORCHESTRATORS}/${made.id}`).expect(200);
    expect(JSON.parse(odd.orchsteps[1]._actualparams)).toEqual({ onConflict: 'add', surplus: 1 });
    await service.call(owner, 'put', `${ORCHESTRATORS}/${made.id}`).send({ ...odd, _name: 'Renamed' }).expect(200);
  });

  it('tells which components there are, under ids that stay', async () => {
    const { body: page } = await service.call(viewer, 'get', COMPONENTS).expect(200);
    expect(page._list.map(({ id, _name }: { id: string; _name: string }) => [id, _name])).toEqual(builtInComponents().map(({ id, name }) => [id, name]));
    expect(page._list.map(({ id }: { id: string }) => id)).toEqual(['01', '02', '0b', '03', '06', '07', '0a', '08', '09', '04', '05'].map((last) => `6f0e6f3a-3b1c-4d0e-9c53-0d4f4f8a7b${last}`));
    expect((await service.call(viewer, 'get', `${COMPONENTS}/${ping.id}`).expect(200)).body).toMatchObject({ _name: 'ping', _params: [], _schema: { title: 'ping', type: 'object' } });
    expect((await service.call(viewer, 'get', `${COMPONENTS}/ifc_import`).expect(200)).body).toMatchObject({
      _params: expect.arrayContaining([{ _name: '_fileId', _type: 'string', _required: true, _description: 'The IFC file' }]),
      _schema: { required: ['_fileId'], properties: { strict: { type: 'boolean', default: false } } },
    });
    await service.call(viewer, 'get', `${COMPONENTS}/nothing`).expect(404);
    await service.call('x.y.z', 'get', COMPONENTS).expect(401);
  });
});
