import { AnswerStore } from '@twinyard/service-kit';
import { dyingBehind, expectReplay } from '@twinyard/testing';
import { FILES, type FileBody, FilesvcUnderTest, NS } from './filesvc-under-test';

describe('what is uploaded, made or changed with an Idempotency-Key', () => {
  let files: FilesvcUnderTest;
  let folder: FileBody;
  let unique = 0;
  beforeAll(async () => { files = await FilesvcUnderTest.start(); });
  beforeEach(async () => { folder = await files.makeFolder(`folder ${(unique += 1)}`); });
  afterAll(() => files?.stop());

  const post = (key: string, query: object = {}) => files.as('owner', 'post', FILES, { _namespaces: NS, _parents: folder._id, ...query }).set('idempotency-key', `${key} ${folder._id}`);
  const send = (key: string, parts: Readonly<Record<string, string>>) => Object.entries(parts).reduce((sent, [name, content]) => sent.attach('file', Buffer.from(content), name), post(key));
  const store = () => files.app.get(AnswerStore, { strict: false });

  const made = async () => (await files.query<{ n: number }>('SELECT (SELECT count(*) FROM file_version)::int + (SELECT count(*) FROM file)::int AS n'))[0]?.n;

  it.each<[string, Readonly<Record<string, string>>]>([['a file', { 'one.txt': '1' }], ['several files', { 'one.txt': '1', 'two.txt': '2' }], ['another version', { 'there.txt': 'new' }]])(
    'is there once, %s, though the process dies before it answers, and answered as it would have been', async (name, parts) => {
      await files.upload('there.txt', 'old', { _parents: folder._id });
      const first = await dyingBehind(store(), async () => send(name, parts));
      const count = await made();
      expectReplay(await send(name, parts), first);
      expect([first.status, await made()]).toEqual([201, count]);
      // The same names, and other bytes.
      expect((await send(name, Object.fromEntries(Object.keys(parts).map((file) => [file, 'other'])))).status).toBe(422);
    });

  it('is there once, a folder', async () => {
    const make = () => post('folder', { _name: 'made' });
    const first = await dyingBehind(store(), async () => make());
    const count = await made();
    expectReplay(await make(), first);
    expect([first.status, await made()]).toEqual([200, count]);
  });

  const changes: Readonly<Record<string, (file: FileBody) => readonly [method: 'put' | 'delete', path: string, body?: object]>> = {
    'renamed': (file) => ['put', `/${file._id}`, { _name: 'ü' }],
    'deleted': (file) => ['delete', `/${file._id}`],
    'deleted among others': (file) => ['delete', '', [file._id]],
    'left without a version': (file) => ['delete', `/${file._id}/versions/${file._tipId}`],
  };

  it.each(Object.keys(changes))('is %s once, though the process dies before it answers, and answered as it would have been', async (name) => {
    await files.upload('there.txt', 'old', { _parents: folder._id });
    const [method, path, body] = (changes[name] as (typeof changes)[string])(await files.upload('there.txt', 'new', { _parents: folder._id }));
    const send = () => files.as('owner', method, `${FILES}${path}`).set('idempotency-key', `${name} ${folder._id}`).send(body);
    const first = await dyingBehind(store(), async () => send());
    expectReplay(await send(), first);
  });

  it('is not there where somebody else has it done meanwhile, and those that come with it are', async () => {
    const real = store().claim.bind(store());
    const claim = jest.spyOn(store(), 'claim').mockImplementationOnce(async (asked) => {
      const mine = await real({ ...asked, leaseMs: 0 });
      await real({ ...asked, owner: '00000000-0000-4000-8000-000000000000' });
      return mine;
    });
    const [late, ...others] = await Promise.all([send('late', { 'late.txt': 'x' }), ...Array.from({ length: 5 }, (_, n) => files.upload(`${n}.txt`, 'x', { _parents: folder._id }))]);
    claim.mockRestore();
    expect([late?.status, (late?.body as { message: string }).message, others.length]).toEqual([409, 'Another request with this Idempotency-Key does this meanwhile', 5]);
    expect((await files.list({ _parents: folder._id }))._list.map(({ _name }) => _name).sort()).toEqual(['0.txt', '1.txt', '2.txt', '3.txt', '4.txt']);
  });
});
