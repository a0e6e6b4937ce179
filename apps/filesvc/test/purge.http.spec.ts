import { Outbox, resourceDeleted } from '@twinyard/events';
import { UnitOfWork } from '@twinyard/service-kit';
import { eventually, tellAgain } from '@twinyard/testing';
import { FILES, FilesvcUnderTest, NS, OTHER } from './filesvc-under-test';

describe('a purged namespace', () => {
  let filesvc: FilesvcUnderTest;
  beforeAll(async () => {
    filesvc = await FilesvcUnderTest.start();
    for (const namespace of [NS, OTHER]) await filesvc.passport.grant('both', namespace, ['*']);
    await filesvc.signIn('both');
  });
  afterAll(() => filesvc?.stop());

  const purge = async (namespace: string) => {
    const workspace = { _id: 'one', _irn: 'passportsvc:workspace:one', _namespaces: [namespace], _purge: true };
    const event = resourceDeleted('passportsvc.Workspace', workspace, { userId: 'owner', requestId: 'the request' });
    await filesvc.app.get(UnitOfWork, { strict: false }).run((tx) => filesvc.app.get(Outbox, { strict: false }).append(tx, event));
    await eventually(async () => expect(await filesvc.query('SELECT 1 FROM namespace_purge WHERE namespace = $1 AND finished_at IS NOT NULL', [namespace])).toHaveLength(1));
  };
  const tablesThatName = async (text: string) => {
    const tables = await filesvc.query<{ name: string }>(`SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1`);
    const found = [];
    for (const { name } of tables) found.push(...((await filesvc.query(`SELECT FROM "${name}" t WHERE strpos(t::text, $1) > 0 LIMIT 1`, [text])).length > 0 ? [name] : []));
    return found.filter((name) => !/^(event_|namespace_purge$)/.test(name));
  };
  const both = { _namespaces: [NS, OTHER], nsfilter: [NS, OTHER] };

  it('loses files, versions and bytes down to the deepest folder; what is shared stays to the others, and theirs as it is', async () => {
    const top = await filesvc.makeFolder('top');
    let parent = top._id;
    for (const name of ['a', 'b', 'c']) parent = (await filesvc.makeFolder(name, { _parents: parent }))._id;
    const deep = await filesvc.upload('deep.bin', 'the first', { _parents: parent });
    await filesvc.upload('deep.bin', 'the second', { _parents: parent });
    const parts = filesvc.as('owner', 'post', FILES, { _namespaces: NS });
    for (let n = 0; n < 60; n += 1) void parts.attach('file', Buffer.from(`content ${n}`), `many ${n}.txt`);
    await parts.expect(201);
    const shared = await filesvc.upload('shared.txt', 'of both', both, 'both');
    const sharedFolder = (await filesvc.as('both', 'post', FILES, { _name: 'shared folder', ...both }).expect(200)).body as { _id: string };
    const inShared = await filesvc.upload('only mine.txt', 'mine', { _parents: sharedFolder._id }, 'both');
    const theirs = await filesvc.upload('deep.bin', 'another', { _namespaces: OTHER, nsfilter: OTHER }, 'stranger');
    const kept = await filesvc.query<{ key: string }>('SELECT blob_key AS key FROM file_version WHERE file_id = ANY($1::uuid[]) ORDER BY 1', [[shared._id, theirs._id]]);
    const addresses = await Promise.all([deep, theirs].map(async ({ _id }, index) => {
      const [subject, nsfilter] = index === 0 ? ['owner', NS] as const : ['stranger', OTHER] as const;
      return ((await filesvc.as(subject, 'get', `${FILES}/${_id}/url`, { nsfilter }).expect(200)).body as { _url: string })._url.slice('http://twinyard.test'.length);
    }));
    const before = (await filesvc.as('stranger', 'get', `${FILES}/${theirs._id}`, { nsfilter: OTHER }).expect(200)).body as object;

    await purge(NS);
    expect(await Promise.all(addresses.map(async (address) => (await filesvc.send('get', address)).status))).toEqual([404, 200]);
    expect(await tablesThatName(NS)).toEqual([]);
    for (const { _id } of [top, deep, inShared]) expect(await tablesThatName(_id)).toEqual([]);
    await eventually(async () => expect((await filesvc.blobs()).sort()).toEqual(kept.map(({ key }) => key)));
    expect((await filesvc.as('stranger', 'get', `${FILES}/${theirs._id}`, { nsfilter: OTHER }).expect(200)).body).toEqual(before);
    const left = (await filesvc.as('stranger', 'get', FILES, { nsfilter: OTHER }).expect(200)).body as { _list: { _id: string; _namespaces: string[] }[] };
    expect(left._list.map(({ _id, _namespaces }) => [_id, _namespaces])).toEqual([[shared._id, [OTHER]], [sharedFolder._id, [OTHER]], [theirs._id, [OTHER]]]);
  });

  it('takes nothing any more, however long ago an upload was allowed', async () => {
    // Nobody takes the owner's rights away here: this is the end of an upload whose rights were looked at in time.
    const sent = filesvc.as('owner', 'post', FILES, { _namespaces: NS }).attach('file', Buffer.from('late'), 'late.txt');
    expect((await sent).status).toBe(403);
    expect((await filesvc.as('owner', 'post', FILES, { _name: 'late', _namespaces: NS })).status).toBe(403);
    expect(await tablesThatName(NS)).toEqual([]);
    await eventually(async () => expect(await filesvc.query('SELECT 1 FROM loose_blob')).toEqual([]));
  });

  it('comes back by nothing that is told of it late', async () => {
    const pictures = () => filesvc.query(`SELECT id FROM job WHERE kind = 'filesvc.preview' ORDER BY 1`);
    const before = await pictures();
    expect(await tellAgain(filesvc.eventsDatabaseUrl, NS)).toBeGreaterThan(100);
    expect(await tablesThatName(NS)).toEqual([]);
    expect(await pictures()).toEqual(before);
  });
});
