import { createHash, randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { eventually } from '@twinyard/testing';
import { FileCountsRepository } from '../src/files/file-counts.repository';
import { NamespaceUsageRepository } from '../src/quota/namespace-usage.repository';
import { UsageFolding } from '../src/quota/usage-folding';
import { FILES, type FileBody, FilesvcUnderTest, NS, OTHER } from './filesvc-under-test';

const LIMIT = 10_000;
const WIDE = 'wide_a1B2c3D4';
const FREE = 'free_a1B2c3D4';
const ALL = [NS, OTHER, WIDE, FREE];
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const figures = (limit: number, used: number, requested: number) => [['_limit', limit], ['_used', used], ['_requested', requested]].map(([field, issue]) => ({ field, issue: String(issue) }));

describe('what a namespace may hold', () => {
  let files: FilesvcUnderTest;
  let replica: FilesvcUnderTest;
  beforeAll(async () => {
    // As many of one namespace as a test sends are to meet at the database; its share of places is another matter (fair-share).
    const places = { REQUEST_PLACES: 40, UPLOAD_PLACES: 40, TENANT_SHARE: 0.9 };
    files = await FilesvcUnderTest.start({ ...places, NAMESPACE_QUOTA_BYTES: LIMIT, NAMESPACE_QUOTAS: new Map([[WIDE, 100 * LIMIT], [FREE, Number.MAX_SAFE_INTEGER]]) });
    for (const namespace of ALL) await files.passport.grant('owner', namespace, ['*']);
    await files.signIn('owner');
    replica = await files.replica();
  });
  afterEach(async () => {
    await files.query('DELETE FROM file');
    await expectCounted({});
  });
  afterAll(() => files?.stop());

  const usage = () => files.app.get(NamespaceUsageRepository);
  const counts = () => files.app.get(FileCountsRepository);
  /** What is counted is what is there. */
  const expectCounted = async (held: Record<string, number>) => {
    const rows = await usage().compare();
    expect(rows.filter(({ counted, held: there }) => counted !== there)).toEqual([]);
    expect(Object.fromEntries(rows.map(({ namespace, counted }) => [namespace, counted]))).toEqual(held);
    expect(await counts().differences()).toEqual([]);
  };
  const post = (name: string, bytes: number, query: object = {}, at = files) => at.as('owner', 'post', FILES, { nsfilter: ALL, _namespaces: NS, ...query }).attach('file', Buffer.alloc(bytes, name), name);
  const made = async (name: string, bytes: number, query: object = {}) => (await post(name, bytes, query).expect(201)).body[0] as FileBody;
  const begin = (name: string, bytes: Buffer, namespaces: readonly string[] = [NS], at = files) =>
    at.as('owner', 'post', FILES, { nsfilter: ALL, uploadType: 'resumable' }).send({ _name: name, _namespaces: namespaces, _uploadMeta: { _size: bytes.length, _checksum: sha256(bytes) } });
  const remove = (id: string, query: object = {}) => files.as('owner', 'delete', `${FILES}/${id}`, { nsfilter: ALL, ...query }).expect(204);

  it('is refused (413) with the figures when an upload goes beyond it, and all of it may be used', async () => {
    await made('most.bin', 9_000);
    const { body } = await post('more.bin', 1_001).expect(413);
    expect(body).toMatchObject({ code: 'quota_exceeded', details: figures(LIMIT, 9_000, 1_001) });
    expect((await files.blobs()).length).toBe(1);
    await made('rest.bin', 1_000);
    await made('nothing.bin', 0);
    expect((await post('most.bin', 1).expect(413)).body.details).toEqual(figures(LIMIT, LIMIT, 1));
    await expectCounted({ [NS]: LIMIT });
    await made('elsewhere.bin', 9_000, { _namespaces: WIDE });
  });

  it('holds for the parts of a request together, and for every namespace that a file is in', async () => {
    await post('one.bin', 6_000).attach('file', Buffer.alloc(6_000), 'two.bin').expect(413);
    await made('wide.bin', 9_500, { _namespaces: `${WIDE},${NS}` });
    expect((await post('x.bin', 501).expect(413)).body.message).toContain(NS);
    await post('wide.bin', 501, { _namespaces: WIDE }).expect(413);
    await expectCounted({ [NS]: 9_500, [WIDE]: 9_500 });
  });

  it('ends an upload as soon as it is passed, not when it has all come', async () => {
    const sending = httpRequest(`${files.url}${FILES}?nsfilter=${NS}&_namespaces=${NS}`, {
      method: 'POST', headers: { authorization: `Bearer ${files.tokenOf('owner')}`, 'content-type': 'multipart/form-data; boundary=edge' },
    });
    const status = new Promise((resolve, reject) => { sending.on('response', (response) => resolve(response.statusCode)).on('error', reject); });
    sending.write('--edge\r\nContent-Disposition: form-data; name="file"; filename="endless.bin"\r\n\r\n');
    sending.write(Buffer.alloc(LIMIT + 1));
    // The message goes on; the answer is there.
    expect(await status).toBe(413);
    sending.on('error', () => undefined).destroy();
    await eventually(async () => expect(await files.query('SELECT key FROM loose_blob')).toEqual([]));
  });

  it('takes the announced size of uploads in pieces from the beginning, until they are given up, expire or are whole', async () => {
    const bytes = randomBytes(6_000);
    const first = (await begin('first.bin', bytes).expect(200)).body as FileBody;
    await begin('first.bin', bytes).expect(200);
    expect((await begin('second.bin', randomBytes(4_001)).expect(413)).body).toMatchObject({ code: 'quota_exceeded', details: figures(LIMIT, 6_000, 4_001) });
    expect(await files.list({ _name: '^second' })).toMatchObject({ _total: 0 });
    await post('third.bin', 4_001).expect(413);
    await remove(first._id, { uploadType: 'resumable' });
    await expectCounted({});

    const again = (await begin('again.bin', bytes).expect(200)).body as FileBody;
    await files.query(`UPDATE resumable_upload SET expires_at = now() - interval '1 second'`);
    await files.sweep();
    await expectCounted({});
    expect(again._id).not.toBe(first._id);

    const whole = (await begin('whole.bin', bytes).expect(200)).body as FileBody;
    const sent = await fetch(`${files.url}${FILES}/${whole._id}?uploadType=resumable&nsfilter=${NS}`, {
      method: 'PATCH', body: bytes, headers: { authorization: `Bearer ${files.tokenOf('owner')}`, 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' },
    });
    expect(sent.status).toBe(204);
    await expectCounted({ [NS]: 6_000 });
  });

  it.each<[string, number, (index: number, at: FilesvcUnderTest) => PromiseLike<{ readonly status: number }>]>([
    // One transaction of each replica.
    ['of one file a request', 2, (index, at) => post(`race-${index}.bin`, 1_000, {}, at)],
    ['of two files a request', 8, (index, at) => post(`race-${index}.bin`, 500, {}, at).attach('file', randomBytes(500), `other-${index}.bin`)],
    ['in pieces', 8, (index, at) => begin(`race-${index}.bin`, randomBytes(1_000), [NS], at)],
  ])('is not passed by twenty uploads %s at once over two replicas, and none is refused for which there is room', async (_, transactions, send) => {
    // Less room than there are connections to the database: uploads that do not wait for each other would all see it.
    await made('before.bin', 8_000);
    // Held where they count, until as many wait there as there are connections.
    await files.query('BEGIN');
    await files.query('LOCK TABLE namespace_usage IN EXCLUSIVE MODE');
    const sent = Promise.all(Array.from({ length: 20 }, async (__, index) => send(index, index % 2 === 0 ? files : replica)));
    await eventually(async () => expect((await files.query(`SELECT FROM pg_locks WHERE relation = 'namespace_usage'::regclass AND NOT granted`)).length).toBeGreaterThanOrEqual(transactions));
    await files.query('COMMIT');
    const statuses = (await sent).map(({ status }) => status);
    expect(statuses.filter((status) => status < 300)).toHaveLength(2);
    expect(statuses.filter((status) => status === 413)).toHaveLength(18);
    await expectCounted({ [NS]: LIMIT });
  });

  it('follows deletions, of versions and of folders, and files that move between namespaces', async () => {
    const folder = await files.makeFolder('folder', { nsfilter: ALL, _namespaces: `${NS},${WIDE}` });
    const place = { _parents: folder._id, _namespaces: `${NS},${WIDE}` };
    const file = await made('versions.bin', 1_000, place);
    const second = await made('versions.bin', 2_000, place);
    await made('other.bin', 500, place);
    await expectCounted({ [NS]: 3_500, [WIDE]: 3_500 });
    await files.as('owner', 'delete', `${FILES}/${file._id}/versions/${second._tipId}`, { nsfilter: ALL }).expect(204);
    await expectCounted({ [NS]: 1_500, [WIDE]: 1_500 });
    const move = (namespaces: readonly string[]) => files.as('owner', 'put', `${FILES}/${folder._id}`, { nsfilter: ALL }).send({ _name: 'folder', _namespaces: namespaces });
    await made('full.bin', 9_000, { _namespaces: OTHER });
    expect((await move([NS, WIDE, OTHER]).expect(413)).body.details).toEqual(figures(LIMIT, 9_000, 1_500));
    await expectCounted({ [NS]: 1_500, [WIDE]: 1_500, [OTHER]: 9_000 });
    await move([WIDE, FREE]).expect(200);
    await expectCounted({ [WIDE]: 1_500, [FREE]: 1_500, [OTHER]: 9_000 });
    await remove(folder._id);
    await expectCounted({ [OTHER]: 9_000 });
  });

  it('is counted in a row when many changes have been, whoever else is counting', async () => {
    await files.query('INSERT INTO namespace_usage SELECT $1, 1 FROM generate_series(1, 5000)', [FREE]);
    const fold = (at: FilesvcUnderTest) => at.app.get(UsageFolding).fold();
    await Promise.all([fold(files), fold(replica), made('meanwhile.bin', 700, { _namespaces: FREE }), fold(files), fold(replica)]);
    await fold(files);
    expect((await files.query<{ count: number }>('SELECT count(*)::int FROM namespace_usage WHERE namespace = $1', [FREE]))[0]?.count).toBeLessThan(100);
    expect(await usage().used([FREE])).toEqual(new Map([[FREE, 5_700]]));
    expect((await usage().compare()).find(({ namespace }) => namespace === FREE)).toEqual({ namespace: FREE, counted: 5_700, held: 700 });
    await usage().recount();
    await expectCounted({ [FREE]: 700 });
  });

  it('has totals of lists, by type and status, that are those of the files, whatever lies in several namespaces', async () => {
    const shared = await files.makeFolder('shared', { nsfilter: ALL, _namespaces: [NS, WIDE].join() });
    await made('in shared.bin', 10, { _parents: shared._id, _namespaces: [NS, WIDE].join() });
    await files.makeFolder('folder', { nsfilter: ALL, _namespaces: FREE });
    for (const namespace of [NS, WIDE, FREE]) await made(`in ${namespace}.bin`, 10, { _namespaces: namespace });
    await begin('begun.bin', Buffer.from('begun')).expect(200);
    const totals = () => Promise.all([
      { nsfilter: NS }, { nsfilter: [NS, WIDE] }, { nsfilter: ALL }, { nsfilter: ALL, _namespaces: [WIDE, FREE] }, { nsfilter: ALL, _type: 'dir' }, { nsfilter: ALL, _type: 'file', _status: 'UPLOAD_COMPLETED' }, { nsfilter: ALL, _status: 'UPLOAD_PENDING,UPLOADING' },
    ].map(async (query) => {
      const { _total, _list } = (await files.as('owner', 'get', FILES, { ...query, _pageSize: 100 }).expect(200)).body as { _total: number; _list: FileBody[] };
      expect(_list).toHaveLength(_total);
      return _total;
    }));
    expect(await totals()).toEqual([4, 5, 7, 5, 2, 4, 1]);
    await files.as('owner', 'put', `${FILES}/${shared._id}`, { nsfilter: ALL }).send({ _name: 'shared', _namespaces: [FREE] }).expect(200);
    expect(await totals()).toEqual([2, 3, 7, 5, 2, 4, 1]);
    await remove(shared._id);
    expect(await totals()).toEqual([2, 3, 5, 3, 1, 3, 1]);
    expect(await counts().differences()).toEqual([]);
  });

  it('has its files counted in few rows when many changes have been, and anew when somebody asks for it', async () => {
    await files.query(`INSERT INTO file_count SELECT $1, 'file', 'UPLOAD_COMPLETED', 1 FROM generate_series(1, 5000)`, [FREE]);
    const fold = (at: FilesvcUnderTest) => at.app.get(UsageFolding).fold();
    await Promise.all([fold(files), fold(replica), made('meanwhile.bin', 10, { _namespaces: FREE }), fold(files), fold(replica)]);
    await fold(files);
    expect((await files.query<{ count: number }>('SELECT count(*)::int FROM file_count WHERE namespace = $1', [FREE]))[0]?.count).toBeLessThan(100);
    expect(await counts().differences()).toEqual([{ namespace: FREE, type: 'file', status: 'UPLOAD_COMPLETED', counted: 5_001, there: 1 }]);
    await counts().recount();
    expect(await counts().differences()).toEqual([]);
  });
});
