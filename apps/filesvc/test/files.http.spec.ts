import { createHash } from 'node:crypto';
import { eventually } from '@twinyard/testing';
import { FILES, type FileBody, FilesvcUnderTest, NS, OTHER } from './filesvc-under-test';

const MISSING = '00000000-0000-4000-8000-000000000000';

describe('files and folders over HTTP', () => {
  let filesvc: FilesvcUnderTest;
  beforeAll(async () => {
    filesvc = await FilesvcUnderTest.start();
    await filesvc.passport.grant('viewer', NS, ['READ']);
    await filesvc.signIn('viewer');
  });
  afterAll(() => filesvc?.stop());

  const post = (query: object, subject = 'owner') => filesvc.as(subject, 'post', FILES, query as Record<string, unknown>);
  const put = (id: string, body: object, subject = 'owner') => filesvc.as(subject, 'put', `${FILES}/${id}`).send(body);
  const get = async (id: string) => (await filesvc.as('owner', 'get', `${FILES}/${id}`).expect(200)).body as FileBody;
  const names = async (query: Record<string, unknown>, subject = 'owner') => (await filesvc.list(query, subject))._list.map(({ _name }) => _name);

  describe('folders', () => {
    it('are made by query, answered with 200', async () => {
      const { body } = await post({ _name: 'Plans', _namespaces: NS, _tags: 'a,b' }).expect(200);
      expect(body).toMatchObject({ _name: 'Plans', _type: 'dir', _namespaces: [NS], _parents: [], _tags: ['a', 'b'], _tipVersion: 0, _nextVersion: 1, _previews: [], _metadata: { _createdById: 'owner' } });
      expect(body).not.toHaveProperty('_tipId');
      expect(await get(body._id)).toEqual(body);
    });

    it('are made by JSON, unknown fields ignored', async () => {
      const parent = await filesvc.makeFolder('json parent');
      const { body } = await post({}).send({ _name: 'json', _namespaces: [NS], _parents: [parent._id], _tags: ['x, y'], _surplus: 1 }).expect(200);
      expect(body).toMatchObject({ _name: 'json', _parents: [parent._id], _tags: ['x, y'] });
      for (const _tags of ['x, y', ['none', 'x, y']]) expect((await filesvc.list({ _tags }))._list.map(({ _id }) => _id)).toEqual([body._id]);
      expect((await filesvc.list({ _tags: 'x' }))._total).toBe(0);
    });

    it('refuse (409) any name that is there, and twenty at once make one', async () => {
      await filesvc.upload('taken', 'x');
      await post({ _name: 'taken', _namespaces: NS }).expect(409);
      const answers = await Promise.all(Array.from({ length: 20 }, () => post({ _name: 'raced folder', _namespaces: NS })));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 19 }, () => 409)]);
    });

    it('name every bad field at once', async () => {
      const { body } = await post({ _name: 'a/b', _tags: 'x'.repeat(51) }).expect(400);
      expect(new Set((body.details as { field: string }[]).map(({ field }) => field))).toEqual(new Set(['_name', '_namespaces', '_tags']));
      await post({ _namespaces: NS }).expect(400);
      await post({ _name: 'x', _namespaces: OTHER }).expect(400);
      await post({ _name: 'x', _namespaces: NS, _parents: MISSING }).expect(400);
    });

    it('are for those who hold CREATE', async () => {
      await filesvc.send('post', FILES, { nsfilter: NS, _name: 'x', _namespaces: NS }).expect(401);
      await post({ _name: 'x', _namespaces: NS }, 'viewer').expect(403);
      await post({ _name: 'x', _namespaces: NS }, 'stranger').expect(403);
      await post({ _name: 'x', _namespaces: 'none_12345678', nsfilter: 'none_12345678' }).expect(403);
    });
  });

  describe('one file', () => {
    it('does not exist (404) for those who may not read it', async () => {
      const { _id } = await filesvc.upload('private.txt', 'x');
      await filesvc.send('get', `${FILES}/${_id}`, { nsfilter: NS }).expect(401);
      for (const subject of ['nobody', 'stranger']) await filesvc.as(subject, 'get', `${FILES}/${_id}`).expect(404);
      await filesvc.as('owner', 'get', `${FILES}/${_id}`, { nsfilter: OTHER }).expect(404);
      await filesvc.as('owner', 'get', `${FILES}/${MISSING}`).expect(404);
      await filesvc.as('owner', 'get', `${FILES}/no-id`).expect(404);
      await filesvc.as('viewer', 'get', `${FILES}/${_id}`).expect(200);
    });

    it('is renamed and tagged; a whole record may be sent back', async () => {
      const file = await filesvc.upload('before.txt', 'x', { _tags: 'old' });
      const { body } = await put(file._id, { ...file, _name: 'after.txt', _tags: ['new'] }).expect(200);
      expect(body).toMatchObject({ _id: file._id, _name: 'after.txt', _tags: ['new'], _tipId: file._tipId, _parents: [], _namespaces: [NS] });
      expect((await put(file._id, { _name: 'after.txt' }).expect(200)).body).toMatchObject({ _tags: ['new'] });
      expect(await filesvc.upload('before.txt', 'y')).toMatchObject({ _tipVersion: 1 });
    });

    it('is refused (409) the name of a sibling and (400) what is wrong, and stays as it was', async () => {
      const file = await filesvc.upload('stays.txt', 'x');
      await filesvc.upload('sibling.txt', 'x');
      await put(file._id, { _name: 'sibling.txt' }).expect(409);
      const { body } = await put(file._id, { _name: '..', _tags: [1], _parents: ['a', 'b'] }).expect(400);
      expect((body.details as { field: string }[]).map(({ field }) => field)).toEqual(['_name', '_tags', '_parents']);
      await put(file._id, {}).expect(400);
      await put(file._id, [file]).expect(400);
      expect(await get(file._id)).toEqual(file);
    });

    it('is moved, and not into itself, a file, or what is not there', async () => {
      const [from, to] = [await filesvc.makeFolder('from'), await filesvc.makeFolder('to')];
      const inner = await filesvc.makeFolder('below', { _parents: from._id });
      const file = await filesvc.upload('moved.txt', 'x', { _parents: inner._id });
      expect((await put(inner._id, { _name: 'below', _parents: [to._id] }).expect(200)).body).toMatchObject({ _parents: [to._id] });
      expect(await names({ _parents: from._id })).toEqual([]);
      expect(await names({ _parents: to._id })).toEqual(['below']);
      await put(to._id, { _name: 'to', _parents: [inner._id] }).expect(400);
      await put(to._id, { _name: 'to', _parents: [to._id] }).expect(400);
      await put(file._id, { _name: 'moved.txt', _parents: [MISSING] }).expect(400);
      await put(from._id, { _name: 'from', _parents: [file._id] }).expect(400);
      expect((await put(file._id, { _name: 'moved.txt', _parents: [] }).expect(200)).body).toMatchObject({ _parents: [] });
      await filesvc.as('owner', 'delete', `${FILES}/${to._id}`).expect(204);
      expect(await get(file._id)).toMatchObject({ _name: 'moved.txt' });
    });

    it('changes only for those who may, and (412) when it is what they think it is', async () => {
      const file = await filesvc.upload('guarded.txt', 'x');
      await filesvc.send('put', `${FILES}/${file._id}`, { nsfilter: NS }).send({ _name: 'y' }).expect(401);
      await put(file._id, { _name: 'y' }, 'viewer').expect(403);
      await put(file._id, { _name: 'y' }, 'stranger').expect(404);
      await put(MISSING, { _name: 'y' }).expect(404);
      const { etag } = (await filesvc.as('owner', 'get', `${FILES}/${file._id}`)).headers as { etag: string };
      expect(etag).toMatch(/^".+"$/);
      const whole = await filesvc.as('owner', 'get', `${FILES}/${file._id}`, { includeUploadMeta: true }).expect(200);
      expect([whole.headers['etag'], (whole.body as { _uploadMeta?: unknown })._uploadMeta]).toEqual([etag, { _size: 1, _checksum: createHash('sha256').update('x').digest('hex'), _uploadOffset: 1 }]);
      const renamed = await put(file._id, { _name: 'guarded 2.txt' }).set('if-match', etag).expect(200);
      expect(renamed.headers['etag']).not.toBe(etag);
      await put(file._id, { _name: 'guarded 3.txt' }).set('if-match', etag).expect(412);
      await filesvc.as('owner', 'delete', `${FILES}/${file._id}`).set('if-match', etag).expect(412);
      await filesvc.as('owner', 'delete', `${FILES}/${file._id}`).set('if-match', renamed.headers['etag'] as string).expect(204);
    });

    it('changes its namespaces within nsfilter, a folder with all that is in it', async () => {
      await filesvc.passport.grant('both', NS, ['*']);
      await filesvc.passport.grant('both', OTHER, ['*']);
      await filesvc.signIn('both');
      const folder = await filesvc.makeFolder('shared');
      const file = await filesvc.upload('shared.txt', 'x', { _parents: folder._id });
      const change = (namespaces: string[], nsfilter: string[]) => filesvc.as('both', 'put', `${FILES}/${folder._id}`, { nsfilter }).send({ _name: 'shared', _namespaces: namespaces });
      await change([NS, OTHER], [NS]).expect(400);
      await put(folder._id, { _name: 'shared', _namespaces: [NS, OTHER] }).expect(400);
      expect((await change([NS, OTHER], [NS, OTHER]).expect(200)).body._namespaces).toEqual([NS, OTHER]);
      await filesvc.as('stranger', 'get', `${FILES}/${file._id}`, { nsfilter: OTHER }).expect(200);
      await change([OTHER], [NS, OTHER]).expect(200);
      await filesvc.as('owner', 'get', `${FILES}/${file._id}`).expect(404);
    });
  });

  describe('versions', () => {
    const versionsOf = async (id: string, query = {}) => (await filesvc.as('owner', 'get', `${FILES}/${id}/versions`, query).expect(200)).body as { _total: number; _list: { _id: string; _version: number; _fileSize: number }[] };
    const remove = (id: string, versionId: string, subject = 'owner') => filesvc.as(subject, 'delete', `${FILES}/${id}/versions/${versionId}`);

    it('are listed newest first, and read one by one', async () => {
      const file = await filesvc.upload('listed.v', '1');
      await filesvc.upload('listed.v', '22');
      expect(await versionsOf(file._id)).toMatchObject({ _total: 2, _includeTotal: true, _pageSize: 25, _list: [{ _version: 2, _fileSize: 2 }, { _version: 1, _fileSize: 1, _id: file._tipId }] });
      expect((await versionsOf(file._id, { _offset: 1, _pageSize: 1 }))._list).toMatchObject([{ _version: 1 }]);
      expect((await filesvc.as('owner', 'get', `${FILES}/${file._id}/versions/${file._tipId}`).expect(200)).body).toEqual(file._fileVersion);
      const other = await filesvc.upload('other.v', '1');
      for (const id of [other._tipId, MISSING, 'no-id']) await filesvc.as('owner', 'get', `${FILES}/${file._id}/versions/${id}`).expect(404);
      await filesvc.as('stranger', 'get', `${FILES}/${file._id}/versions`).expect(404);
      await filesvc.as('stranger', 'get', `${FILES}/${file._id}/versions/${file._tipId}`).expect(404);
      await filesvc.send('get', `${FILES}/${file._id}/versions`, { nsfilter: NS }).expect(401);
    });

    it('hand the tip down when it is deleted, and never use a number twice', async () => {
      const first = await filesvc.upload('tip.v', '1');
      const second = await filesvc.upload('tip.v', '22');
      await remove(first._id, second._tipId).expect(204);
      expect(await get(first._id)).toMatchObject({ _tipId: first._tipId, _tipVersion: 1, _nextVersion: 3 });
      const third = await filesvc.upload('tip.v', '333');
      expect(third).toMatchObject({ _tipVersion: 3, _nextVersion: 4 });
      await remove(first._id, first._tipId).expect(204);
      expect(await get(first._id)).toMatchObject({ _tipId: third._tipId, _tipVersion: 3 });
      await remove(first._id, first._tipId).expect(404);
      await remove(first._id, third._tipId).expect(204);
      await filesvc.as('owner', 'get', `${FILES}/${first._id}`).expect(404);
    });

    it('are deleted only by those who may', async () => {
      const file = await filesvc.upload('kept.v', '1');
      await filesvc.send('delete', `${FILES}/${file._id}/versions/${file._tipId}`, { nsfilter: NS }).expect(401);
      await remove(file._id, file._tipId, 'viewer').expect(403);
      await remove(file._id, file._tipId, 'stranger').expect(404);
    });
  });

  describe('deleting', () => {
    it('takes a folder with everything in it, and the bytes', async () => {
      const folder = await filesvc.makeFolder('doomed');
      const inner = await filesvc.makeFolder('doomed inner', { _parents: folder._id });
      const file = await filesvc.upload('doomed.txt', '1', { _parents: inner._id });
      await filesvc.upload('doomed.txt', '2', { _parents: inner._id });
      const keys = (await filesvc.query<{ key: string }>('SELECT blob_key AS key FROM file_version WHERE file_id = $1', [file._id])).map(({ key }) => key);
      const kept = async () => (await filesvc.blobs()).filter((key) => keys.includes(key));
      expect([keys.length, (await kept()).length]).toEqual([2, 2]);
      await filesvc.as('owner', 'delete', `${FILES}/${folder._id}`).set('content-type', 'application/json').expect(204);
      for (const id of [folder._id, inner._id, file._id]) await filesvc.as('owner', 'get', `${FILES}/${id}`).expect(404);
      // The deletion has had the service's own sweep begin, which may be at one of them still.
      await filesvc.sweep();
      await eventually(async () => expect(await kept()).toEqual([]));
      await filesvc.makeFolder('doomed');
    });

    it('takes many or none, and passes over what the caller cannot see', async () => {
      const made = [await filesvc.upload('many1.txt', 'x'), await filesvc.upload('many2.txt', 'x')];
      const ids = made.map(({ _id }) => _id);
      const remove = (subject: string, body: unknown) => filesvc.as(subject, 'delete', FILES).send(body as object);
      await filesvc.send('delete', FILES, { nsfilter: NS }).send(ids).expect(401);
      await remove('owner', { ids }).expect(400);
      await remove('owner', [1]).expect(400);
      await filesvc.passport.grant('half', NS, ['READ']);
      await filesvc.passport.grant('half', NS, ['DELETE'], `filesvc:file:${ids[0]}`);
      await filesvc.signIn('half');
      await remove('half', ids).expect(403);
      expect(await names({ _name: '^many' })).toHaveLength(2);
      await remove('stranger', ids).expect(204);
      expect(await names({ _name: '^many' })).toHaveLength(2);
      await remove('owner', [...ids, MISSING, 'no-id']).expect(204);
      expect(await names({ _name: '^many' })).toHaveLength(0);
      await remove('owner', []).expect(204);
    });

    it('is for those who may', async () => {
      const { _id } = await filesvc.upload('safe.txt', 'x');
      await filesvc.send('delete', `${FILES}/${_id}`, { nsfilter: NS }).expect(401);
      await filesvc.as('viewer', 'delete', `${FILES}/${_id}`).expect(403);
      await filesvc.as('stranger', 'delete', `${FILES}/${_id}`).expect(404);
      await filesvc.as('owner', 'delete', `${FILES}/${MISSING}`).expect(404);
    });

    it('of a folder leaves nothing behind of what is put into it meanwhile', async () => {
      const folder = await filesvc.makeFolder('contested');
      const uploads = Array.from({ length: 8 }, (_, index) => filesvc.as('owner', 'post', FILES, { _namespaces: NS, _parents: folder._id }).attach('file', Buffer.from('x'), `contested ${index}`));
      const [removed, ...answers] = await Promise.all([filesvc.as('owner', 'delete', `${FILES}/${folder._id}`), ...uploads]);
      expect(removed.status).toBe(204);
      expect(answers.every(({ status }) => status === 201 || status === 400)).toBe(true);
      expect(await names({ _name: '^contested' })).toEqual([]);
      expect(await filesvc.query('SELECT FROM file_version v WHERE NOT EXISTS (SELECT FROM file f WHERE f.id = v.file_id)')).toEqual([]);
    });
  });
});
