import { FILES, type FileBody, FilesvcUnderTest, NS, OTHER } from './filesvc-under-test';

const MISSING = '00000000-0000-4000-8000-000000000000';

describe('lists of files', () => {
  let filesvc: FilesvcUnderTest;
  const names = async (query: Record<string, unknown>, subject = 'owner') => (await filesvc.list(query, subject))._list.map(({ _name }) => _name);

  let folder: FileBody;
  let inner: FileBody;
  let plan: FileBody;
  beforeAll(async () => {
    filesvc = await FilesvcUnderTest.start();
    folder = await filesvc.makeFolder('listed');
    inner = await filesvc.makeFolder('inner', { _parents: folder._id, _tags: 'red' });
    plan = await filesvc.upload('plan.pdf', 'p', { _parents: folder._id, _tags: 'red,blue' });
    await filesvc.upload('Plan 2.PDF', 'p', { _parents: folder._id, _tags: 'green' });
    await filesvc.upload('été (1).txt', 'p', { _parents: folder._id });
    await filesvc.upload('deep.txt', 'p', { _parents: inner._id });
  });
  afterAll(() => filesvc?.stop());

  const inFolder = (query: Record<string, unknown>) => names({ _parents: folder._id, ...query });

  it('are in the order of creation, in pages that say their totals', async () => {
    const page = (await filesvc.as('owner', 'get', FILES, { _parents: folder._id, _offset: 1, _pageSize: 2 }).expect(200)).body;
    expect(page).toMatchObject({ _offset: 1, _pageSize: 2, _total: 4, _includeTotal: true });
    expect(page._list.map((file: FileBody) => file._name)).toEqual(['plan.pdf', 'Plan 2.PDF']);
    expect(await filesvc.list({ _parents: folder._id, _pageSize: 0 })).toMatchObject({ _total: 4, _list: [] });
    expect(await filesvc.list({ _parents: folder._id, page: '{"_offset":3,"_pageSize":900}' })).toMatchObject({ _offset: 3, _pageSize: 200 });
    expect(await filesvc.list({ _parents: folder._id })).toMatchObject({ _pageSize: 25 });
  });

  it('end where the answer is full, say how many they hold, and go on behind them', async () => {
    const light = await filesvc.replica({ ANSWER_MAX_BYTES: 1_000 });
    const whole = await inFolder({});
    const versions = await filesvc.makeFolder('versions');
    for (const content of ['1', '22', '333', '4444']) await filesvc.upload('again.txt', content, { _parents: versions._id });
    const [{ _id: again } = { _id: '' }] = (await filesvc.list({ _parents: versions._id }))._list;
    const through = async <T>(path: string, query: Record<string, unknown>, of: (row: T) => unknown) => {
      const found: unknown[] = [];
      for (let total = 1; found.length < total;) {
        const { body } = await light.as('owner', 'get', path, { ...query, _offset: found.length, _pageSize: 100 }).expect(200);
        const page = body as { _pageSize: number; _total: number; _list: T[] };
        expect([page._list.length > 0, page._pageSize]).toEqual([true, found.length + page._list.length < page._total ? page._list.length : 100]);
        total = page._total;
        found.push(...page._list.map(of));
      }
      return found;
    };
    expect(await through<FileBody>(FILES, { _parents: folder._id }, ({ _name }) => _name)).toEqual(whole);
    expect(await through<FileBody>(FILES, { _parents: folder._id, _name: '.' }, ({ _name }) => _name)).toEqual(whole);
    expect(await through<{ _fileSize: number }>(`${FILES}/${again}/versions`, {}, ({ _fileSize }) => _fileSize)).toEqual([4, 3, 2, 1]);
  });

  it.each([
    [{ _tags: 'blue,green' }, ['plan.pdf', 'Plan 2.PDF']],
    [{ _tags: ['blue', 'none'] }, ['plan.pdf']],
    [{ _type: 'dir' }, ['inner']],
    [{ _type: 'file', _tags: 'red' }, ['plan.pdf']],
    [{ _status: 'UPLOAD_FAILED' }, []],
    [{ _status: 'UPLOAD_COMPLETED', _type: 'file', _name: 'deep' }, []],
    [{ _namespaces: OTHER }, []],
    [{ _name: 'plan' }, ['plan.pdf']],
    [{ _name: '^plan\\.pdf$' }, ['plan.pdf']],
    [{ _name: '^Plan' }, ['Plan 2.PDF']],
    [{ _name: '\\.PDF$' }, ['Plan 2.PDF']],
    [{ _name: '\\(1\\)' }, ['été (1).txt']],
    [{ _name: '(?i)^PLAN.*\\.pdf$' }, ['plan.pdf', 'Plan 2.PDF']],
    [{ _name: '(?i)^ÉTÉ' }, ['été (1).txt']],
    [{ _name: '^\\pL+ \\(\\d\\)' }, ['été (1).txt']],
    [{ _name: 'e\u0301t[e\u00e9]' }, ['été (1).txt']],
    [{ _name: '^(plan|inner)' }, ['inner', 'plan.pdf']],
  ])('filter by %j', async (query, expected) => {
    expect(await inFolder(query)).toEqual(expected);
    expect((await filesvc.list({ _parents: folder._id, ...query, _pageSize: 0 }))._total).toBe(expected.length);
  });

  it('page through what an expression matches, with the right total', async () => {
    expect(await filesvc.list({ _parents: folder._id, _name: '.+\\.(pdf|PDF|txt)', _offset: 1, _pageSize: 1 })).toMatchObject({ _total: 3, _list: [{ _name: 'Plan 2.PDF' }] });
  });

  it.each(['(?=x)a', '(a)\\1', '(', 'a{1001}', 'x'.repeat(1_001)])('refuse (400) what RE2 does not know: %s', async (name) => {
    const { body } = await filesvc.as('owner', 'get', FILES, { _name: name }).expect(400);
    expect(body.details).toEqual([expect.objectContaining({ field: '_name' })]);
  });

  it('filter by parents, root included; several have only what is common to all', async () => {
    expect(await names({ _parents: 'root', _name: '^listed$' })).toEqual(['listed']);
    expect(await names({ _parents: 'root', _name: '^deep' })).toEqual([]);
    expect(await names({ _parents: inner._id })).toEqual(['deep.txt']);
    expect(await names({ _parents: [inner._id, folder._id] })).toEqual([]);
    expect(await names({ _parents: `${inner._id},root` })).toEqual([]);
    expect(await names({ _parents: [inner._id, inner._id] })).toEqual(['deep.txt']);
    expect(await names({ _parents: 'no-id' })).toEqual([]);
  });

  it('filter by at most 200 ids, unknown ones passed over', async () => {
    expect(await names({ _ids: `${plan._id},${MISSING},no-id` })).toEqual(['plan.pdf']);
    const ids = (count: number) => ({ _ids: Array.from({ length: count }, () => plan._id).join() });
    expect(await names(ids(200))).toEqual(['plan.pdf']);
    await filesvc.as('owner', 'get', FILES, ids(201)).expect(400);
    await filesvc.as('owner', 'get', FILES, { _type: 'link' }).expect(400);
  });

  it('give the children of a folder', async () => {
    const children = (id: string, query = {}, subject = 'owner') => filesvc.as(subject, 'get', `${FILES}/${id}/children`, query);
    expect((await children(folder._id, { _tags: 'red', withUrl: 'true' }).expect(200)).body).toMatchObject({ _total: 2, _includeTotal: true, _list: [{ _name: 'inner' }, { _name: 'plan.pdf', _url: expect.any(String) }] });
    await children(MISSING).expect(404);
    await children(plan._id).expect(400);
    await children(folder._id, {}, 'stranger').expect(404);
    await filesvc.send('get', `${FILES}/${folder._id}/children`, { nsfilter: NS }).expect(401);
    await children(folder._id, { nsfilter: undefined }).expect(400);
  });

  it('are empty for those who may read nothing there', async () => {
    expect(await filesvc.list({}, 'nobody')).toMatchObject({ _total: 0, _list: [] });
    expect(await filesvc.list({}, 'stranger')).toMatchObject({ _total: 0, _list: [] });
    expect(await filesvc.list({ nsfilter: OTHER })).toMatchObject({ _total: 0 });
    await filesvc.send('get', FILES, { nsfilter: NS }).expect(401);
    await filesvc.as('owner', 'get', FILES, { nsfilter: undefined }).expect(400);
  });
});
