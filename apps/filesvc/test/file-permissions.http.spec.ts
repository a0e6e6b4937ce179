import { FILES, type FileBody, FilesvcUnderTest, NS, OTHER } from './filesvc-under-test';

type Actions = readonly ('READ' | 'CREATE' | 'EDIT' | 'DELETE')[];

describe('permissions on single files and folders', () => {
  let filesvc: FilesvcUnderTest;
  let other: FilesvcUnderTest;
  beforeAll(async () => {
    filesvc = await FilesvcUnderTest.start();
    other = await filesvc.replica();
  });
  afterAll(() => filesvc?.stop());

  const grant = async (subject: string, actions: Actions, id = '*', ns = NS) => {
    await filesvc.passport.grant(subject, ns, actions, `filesvc:file:${id}`);
    await filesvc.signIn(subject);
  };
  const names = async (subject: string, query: Record<string, unknown> = {}, from = filesvc) => (await from.list(query, subject))._list.map(({ _name }) => _name);
  const status = async (subject: string, path: string, from = filesvc) => (await from.as(subject, 'get', `${FILES}/${path}`)).status;
  const put = (subject: string, file: FileBody, body: object, query: Record<string, unknown> = {}) => filesvc.as(subject, 'put', `${FILES}/${file._id}`, query).send({ _name: file._name, ...body });

  describe('on a folder below others that the caller may not read', () => {
    let [top, middle, given, file]: FileBody[] = [];
    beforeAll(async () => {
      top = await filesvc.makeFolder('top');
      middle = await filesvc.makeFolder('middle', { _parents: top._id });
      given = await filesvc.makeFolder('given', { _parents: middle._id });
      file = await filesvc.upload('inside.txt', 'x', { _parents: given._id });
      await filesvc.upload('beside.txt', 'x', { _parents: middle._id });
      await grant('guest', ['READ', 'EDIT'], given._id);
    });

    it('show it in a list of everything, not in one of the root; those above are not there, though it says where it lies', async () => {
      expect(await names('guest')).toEqual(['given', 'inside.txt']);
      expect(await names('guest', { _parents: 'root' })).toEqual([]);
      expect(await names('guest', { _parents: middle?._id })).toEqual(['given']);
      expect((await filesvc.list({ _ids: given?._id }, 'guest'))._list[0]).toMatchObject({ _parents: [middle?._id] });
      for (const hidden of [top, middle]) expect([await status('guest', hidden?._id ?? ''), await status('guest', `${hidden?._id}/children`)]).toEqual([404, 404]);
      expect(await status('guest', `${given?._id}/children`)).toBe(200);
    });

    it('let it be renamed by its whole record, which names a folder that the caller cannot see', async () => {
      const record = (await filesvc.as('guest', 'get', `${FILES}/${given?._id}`).expect(200)).body as FileBody;
      expect((await put('guest', record, { ...record, _name: 'given 2' }).expect(200)).body).toMatchObject({ _name: 'given 2', _parents: [middle?._id] });
    });

    it('do not let anything out of it, nor into what the caller cannot see', async () => {
      for (const _parents of [[], ['root']]) await put('guest', file as FileBody, { _parents }).expect(403);
      expect((await put('guest', file as FileBody, { _parents: [top?._id] }).expect(400)).body.details).toEqual([{ field: '_parents', issue: 'names no folder' }]);
    });
  });

  it('to READ an upload under way in a folder that is not seen do not let it be given up or gone on with: 403, as wherever one may read alone', async () => {
    const folder = await filesvc.makeFolder('unseen');
    const _uploadMeta = { _size: 3, _checksum: 'ab'.repeat(32) };
    const { body } = await filesvc.as('owner', 'post', FILES, { uploadType: 'resumable' }).send({ _name: 'under way', _namespaces: [NS], _parents: [folder._id], _uploadMeta }).expect(200);
    await grant('watcher', ['READ'], body._id);
    const address = `${FILES}/${body._id}`;
    await filesvc.as('watcher', 'delete', address, { uploadType: 'resumable' }).expect(403);
    await filesvc.as('watcher', 'post', address, { uploadType: 'resumable' }).set('x-http-method-override', 'PATCH').set('content-type', 'application/offset+octet-stream').set('upload-offset', '0').send('abc').expect(403);
    await filesvc.as('watcher', 'get', address).expect(200);
  });

  it.each([0, 1, 2, 3])('on the folder at depth %i hold for all below it and nothing else', async (depth) => {
    const chain: FileBody[] = [];
    for (let level = 0; level < 4; level += 1) {
      const at = level === 0 ? {} : { _parents: chain[level - 1]?._id };
      chain.push(await filesvc.makeFolder(`chain ${depth}.${level}`, at));
      await filesvc.upload(`leaf ${depth}.${level}`, 'x', { _parents: chain[level]?._id });
    }
    await grant(`reader ${depth}`, ['READ'], chain[depth]?._id);
    const seen = [0, 1, 2, 3].filter((level) => level >= depth).flatMap((level) => [`chain ${depth}.${level}`, `leaf ${depth}.${level}`]);
    expect(await names(`reader ${depth}`)).toEqual(seen);
    expect((await filesvc.list({ _name: 'chain|leaf', _pageSize: 0 }, `reader ${depth}`))._total).toBe(seen.length);
  });

  it('on one file are that file and its versions alone', async () => {
    const folder = await filesvc.makeFolder('of one file');
    const [file, beside] = [await filesvc.upload('one.txt', 'x', { _parents: folder._id }), await filesvc.upload('two.txt', 'x', { _parents: folder._id })];
    await grant('reader of one', ['READ'], file._id);
    expect(await names('reader of one')).toEqual(['one.txt']);
    expect(await status('reader of one', `${file._id}/versions/${file._tipId}/url`)).toBe(200);
    expect(await status('reader of one', `${beside._id}/versions/${beside._tipId}/url`)).toBe(404);
    expect(await status('reader of one', `${file._id}/versions/${beside._tipId}`)).toBe(404);
  });

  it('follow a move at once, on every replica: lists, totals, records, versions and addresses', async () => {
    const [open, closed] = [await filesvc.makeFolder('open to'), await filesvc.makeFolder('closed to')];
    const carried = await filesvc.makeFolder('carried', { _parents: closed._id });
    const file = await filesvc.upload('carried.txt', 'x', { _parents: carried._id });
    await grant('follower', ['READ'], open._id);
    const seenFrom = async (from: FilesvcUnderTest) => [
      (await from.list({}, 'follower'))._total, ...(await Promise.all([file._id, `${file._id}/url`, `${file._id}/versions`, `${file._id}/versions/${file._tipId}`].map((path) => status('follower', path, from)))),
    ];
    for (const [parent, expected] of [[open, [3, 200, 200, 200, 200]], [closed, [1, 404, 404, 404, 404]], [open, [3, 200, 200, 200, 200]]] as const) {
      await put('owner', carried, { _parents: [parent._id] }).expect(200);
      for (const from of [other, filesvc]) expect(await seenFrom(from)).toEqual(expected);
    }
  });

  it('to delete some of many delete none of them, folders with their content included', async () => {
    const [mine, theirs] = [await filesvc.makeFolder('mine to delete'), await filesvc.makeFolder('theirs to keep')];
    const inner = [await filesvc.upload('a', 'x', { _parents: mine._id }), await filesvc.upload('b', 'x', { _parents: theirs._id })];
    await grant('remover', ['READ']);
    await grant('remover', ['DELETE'], mine._id);
    const remove = (ids: readonly (string | undefined)[]) => filesvc.as('remover', 'delete', FILES).send(ids as string[]);
    await remove([mine._id, inner[1]?._id]).expect(403);
    await remove([inner[0]?._id, mine._id, theirs._id]).expect(403);
    expect((await filesvc.list({ _ids: [mine, theirs, ...inner].map(({ _id }) => _id) }))._total).toBe(4);
    await remove([inner[0]?._id, mine._id]).expect(204);
    expect((await filesvc.list({ _ids: [mine, theirs, ...inner].map(({ _id }) => _id) }))._total).toBe(2);
  });

  it('keep what others have named to themselves: who may make nothing there hears the same of a name that is taken as of one that is free', async () => {
    await filesvc.makeFolder('confidential');
    await filesvc.makeFolder('twice');
    await filesvc.as('stranger', 'post', FILES, { nsfilter: OTHER, _name: 'twice', _namespaces: OTHER }).expect(200);
    const box = await filesvc.makeFolder('box');
    await grant('sender', ['CREATE'], box._id);
    const answers = async (subject: string, name: string, namespaces = [NS]) => {
      const place = { nsfilter: namespaces, _namespaces: namespaces };
      const whole = await filesvc.as(subject, 'post', FILES, place).attach('file', Buffer.from('x'), name);
      const begun = await filesvc.as(subject, 'post', FILES, { ...place, uploadType: 'resumable' }).send({ _name: name, _uploadMeta: { _size: 1, _checksum: '0'.repeat(64) } });
      const made = await filesvc.as(subject, 'post', FILES, { ...place, _name: name });
      return [whole, begun, made].map(({ status: code }) => code);
    };
    for (const subject of ['sender', 'nobody', 'stranger']) {
      expect([await answers(subject, 'confidential'), await answers(subject, 'free')]).toEqual([[403, 403, 403], [403, 403, 403]]);
      expect(await answers(subject, 'twice', [NS, OTHER])).toEqual([403, 403, 403]);
    }
    expect(await answers('owner', 'confidential')).toEqual([409, 409, 409]);
  });

  it('in one of two namespaces do not take a file out of the other, nor does a record that leaves it out', async () => {
    await grant('half', ['READ', 'EDIT', 'CREATE']);
    for (const ns of [NS, OTHER]) await grant('both', ['READ', 'EDIT', 'CREATE'], '*', ns);
    const both = { nsfilter: [NS, OTHER] };
    const shared = await filesvc.upload('shared.txt', 'x', { _namespaces: [NS, OTHER], ...both }, 'both');
    const change = (subject: string, _namespaces: readonly string[], query: Record<string, unknown> = {}) => put(subject, shared, { _namespaces }, query);
    expect((await change('half', [NS]).expect(200)).body._namespaces).toEqual([NS, OTHER]);
    await change('half', [NS], both).expect(403);
    await change('stranger', [OTHER], { nsfilter: [NS, OTHER] }).expect(403);
    expect((await change('half', [OTHER, NS]).expect(200)).body._namespaces).toEqual([NS, OTHER]);
    expect((await change('both', [OTHER], both).expect(200)).body._namespaces).toEqual([OTHER]);
  });

  it('do not let what is moved into a folder of other namespaces in, unless it takes these on', async () => {
    for (const ns of [NS, OTHER]) await grant('mover', ['READ', 'EDIT', 'CREATE'], '*', ns);
    const both = { nsfilter: [NS, OTHER] };
    const abroad = (await filesvc.as('mover', 'post', FILES, { ...both, _name: 'abroad', _namespaces: OTHER }).expect(200)).body as FileBody;
    const file = await filesvc.upload('emigrant.txt', 'x');
    expect((await put('mover', file, { _parents: [abroad._id] }, both).expect(400)).body.details).toEqual([{ field: '_namespaces', issue: `${NS} is not among those of the folder` }]);
    expect((await put('mover', file, { _parents: [abroad._id], _namespaces: [OTHER] }, both).expect(200)).body).toMatchObject({ _parents: [abroad._id], _namespaces: [OTHER] });
    expect(await names('owner', { _name: 'emigrant' })).toEqual([]);
    expect(await names('stranger', { _name: 'emigrant', nsfilter: OTHER })).toEqual(['emigrant.txt']);
  });

  it('give addresses that work to their end, also when they are withdrawn; not when file or version is deleted', async () => {
    const file = await filesvc.upload('addressed.txt', 'one');
    await filesvc.upload('addressed.txt', 'two');
    await grant('former', ['READ']);
    const addressOf = async (path: string) => ((await filesvc.as('former', 'get', `${FILES}/${path}`).expect(200)).body as FileBody)._url.slice('http://twinyard.test'.length);
    const [tip, first] = [await addressOf(`${file._id}/url`), await addressOf(`${file._id}/versions/${file._tipId}/url`)];
    await filesvc.passport.revokeAll('former');
    expect(await status('former', `${file._id}/url`)).toBe(404);
    expect([(await other.send('get', tip)).text, (await other.send('get', first)).text]).toEqual(['two', 'one']);
    await filesvc.as('owner', 'delete', `${FILES}/${file._id}/versions/${file._tipId}`).expect(204);
    expect([(await other.send('get', tip)).status, (await other.send('get', first)).status]).toEqual([200, 404]);
    await filesvc.as('owner', 'delete', `${FILES}/${file._id}`).expect(204);
    expect((await other.send('get', tip)).status).toBe(404);
  });
});
