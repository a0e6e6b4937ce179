import { fillDisk } from '@twinyard/testing';
import { FILES, FilesvcUnderTest, NS } from './filesvc-under-test';

describe('a database whose disk is full', () => {
  let files: FilesvcUnderTest;
  beforeAll(async () => { files = await FilesvcUnderTest.start(); });
  afterAll(() => files?.stop());

  it.each(['file', 'file_version'])('is 507 to an upload (%s), of which nothing is left, and which may come again', async (table) => {
    const name = `${table}.txt`;
    const makeRoom = await fillDisk((sql) => files.query(sql), [table]);
    const { body } = await files.as('owner', 'post', FILES, { _namespaces: NS }).attach('file', Buffer.from('text'), name).expect(507);
    expect(body).toMatchObject({ code: 'insufficient_storage', message: 'There is no room left to store this' });
    expect((await files.send('get', '/health/ready').expect(503)).body).toEqual({ status: 'not ready', failing: ['room in the store'] });
    await makeRoom();
    await files.send('get', '/health/ready').expect(200);
    expect((await files.list({ _name: name }))._total).toBe(0);
    await files.upload(name, 'text');
    expect((await files.list({ _name: name }))._total).toBe(1);
    // The bytes of the refused one go when the sweep finds that nobody knows them.
    await files.sweep(new Date(Date.now() + 2 * 86_400_000));
    expect(await files.blobs()).toHaveLength((await files.list())._total);
  });
});
