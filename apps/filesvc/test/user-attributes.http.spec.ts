import { createHash } from 'node:crypto';
import { FILES, type FileBody, FilesvcUnderTest, NS } from './filesvc-under-test';

const OF = { sourceFileId: 'a', nested: { list: [1, null, 'ü'] }, text: '"=1+1"' };

describe('attributes that clients keep with files', () => {
  let filesvc: FilesvcUnderTest;
  beforeAll(async () => {
    filesvc = await FilesvcUnderTest.start();
  });
  afterAll(() => filesvc?.stop());

  const get = async ({ _id }: FileBody) => (await filesvc.as('owner', 'get', `${FILES}/${_id}`).expect(200)).body as FileBody;
  const put = (file: FileBody, body: object) => filesvc.as('owner', 'put', `${FILES}/${file._id}`).send({ _name: file._name, ...body });
  const folder = (body: object) => filesvc.as('owner', 'post', FILES, {}).send({ _name: 'folder', _namespaces: [NS], ...body });

  it('are none where nobody says any', async () => {
    expect([(await filesvc.upload('plain.txt', 'x'))['_userAttributes'], (await filesvc.makeFolder('plain'))['_userAttributes']]).toEqual([{}, {}]);
  });

  it('come with an upload as JSON, stay with a version that brings none, and go with one that brings others', async () => {
    const file = await filesvc.upload('model.frag', '1', { _userAttributes: JSON.stringify(OF) });
    expect([file['_userAttributes'], (await get(file))['_userAttributes']]).toEqual([OF, OF]);
    expect((await filesvc.list({ _name: '^model' }))._list.map(({ _userAttributes }) => _userAttributes)).toEqual([OF]);
    expect((await filesvc.upload('model.frag', '2'))['_userAttributes']).toEqual(OF);
    await filesvc.upload('model.frag', '3', { _userAttributes: '{"b":1}' });
    expect(await get(file)).toMatchObject({ _tipVersion: 3, _userAttributes: { b: 1 } });
  });

  it('come with a folder, are changed by PUT as a whole, and stay where it names none', async () => {
    const { body } = await folder({ _userAttributes: OF }).expect(200);
    expect(body).toMatchObject({ _userAttributes: OF });
    expect((await put(body, { _tags: ['x'] }).expect(200)).body).toMatchObject({ _tags: ['x'], _userAttributes: OF });
    expect((await put(body, { ...(await get(body)), _userAttributes: {} }).expect(200)).body._userAttributes).toEqual({});
  });

  it('are announced with an upload in pieces', async () => {
    const announce = (content: string, attributes: object) => filesvc.as('owner', 'post', FILES, { uploadType: 'resumable' }).send({
      _name: 'pieces.txt', _namespaces: [NS], _userAttributes: attributes, _uploadMeta: { _size: content.length, _checksum: createHash('sha256').update(content).digest('hex') },
    });
    const send = async (content: string, attributes: object) => {
      const { body } = await announce(content, attributes).expect(200);
      const query = new URLSearchParams({ uploadType: 'resumable', checksum: createHash('sha256').update(content).digest('hex'), nsfilter: NS });
      const headers = { authorization: `Bearer ${filesvc.tokenOf('owner')}`, 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' };
      const answer = await fetch(`${filesvc.url}${FILES}/${body._id}?${query}`, { method: 'PATCH', body: content, headers });
      expect(answer.ok).toBe(true);
      return body as FileBody;
    };
    const first = await send('one', { n: 1 });
    expect(await get(first)).toMatchObject({ _tipVersion: 1, _userAttributes: { n: 1 } });
    await send('two', { n: 2 });
    expect(await get(first)).toMatchObject({ _tipVersion: 2, _userAttributes: { n: 2 } });
  });

  it.each([
    ['no JSON', '{a}'],
    ['a list', '[1]'],
    ['a text', '"x"'],
    ['too much', JSON.stringify({ a: 'x'.repeat(2_000) })],
    ['a NUL', '{"a":{"b":"\\u0000"}}'],
    ['half a character', '{"a":"\\ud800"}'],
    ['a key that no object may have', '{"__proto__":{}}'],
    ['too many levels', `${'{"a":'.repeat(160)}1${'}'.repeat(160)}`],
  ])('are refused by their name: %s', async (_, attributes) => {
    const { body } = await filesvc.as('owner', 'post', FILES, { _namespaces: NS, _userAttributes: attributes }).attach('file', Buffer.from('x'), 'refused.txt').expect(400);
    expect(body.message).toContain('_userAttributes');
    expect((await filesvc.list({ _name: 'refused' }))._total).toBe(0);
  });

  it('are refused in JSON with what else is wrong, and where a number would become another', async () => {
    const { body } = await folder({ _name: 'a/b', _userAttributes: [1] }).expect(400);
    expect((body.details as { field: string }[]).map(({ field }) => field).sort()).toEqual(['_name', '_userAttributes']);
    const inexact = await filesvc.as('owner', 'post', FILES, { _namespaces: NS, _userAttributes: '{"n":9007199254740993}' }).attach('file', Buffer.from('x'), 'refused.txt').expect(400);
    expect(inexact.body.code).toBe('inexact_number');
  });
});
