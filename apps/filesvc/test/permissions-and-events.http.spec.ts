import { EventBus, type PublicEvent } from '@twinyard/events';
import { eventually } from '@twinyard/testing';
import { FILES, type FileBody, FilesvcUnderTest, NS, OTHER } from './filesvc-under-test';

describe('what is inherited and what is told', () => {
  let filesvc: FilesvcUnderTest;
  const told: PublicEvent[] = [];
  beforeAll(async () => {
    filesvc = await FilesvcUnderTest.start();
    const handler = async ({ data }: { data: PublicEvent }): Promise<void> => { told.push(data); };
    (await filesvc.app.get(EventBus).subscribe({ group: 'spec', topics: ['filesvc.file', 'filesvc.folder'], handler })).start();
  });
  afterAll(() => filesvc?.stop());

  const grant = async (subject: string, actions: readonly ('READ' | 'CREATE' | 'EDIT' | 'DELETE')[], id = '*', ns = NS) => {
    await filesvc.passport.grant(subject, ns, actions, `filesvc:file:${id}`);
    await filesvc.signIn(subject);
  };
  const sendFile = (subject: string, name: string, query: object = {}) => filesvc.as(subject, 'post', FILES, { _namespaces: NS, ...query }).attach('file', Buffer.from('xx'), name);
  const put = (subject: string, id: string, body: object) => filesvc.as(subject, 'put', `${FILES}/${id}`).send(body);

  describe('permissions', () => {
    it('on a folder hold for everything under it, in lists and totals too', async () => {
      const top = await filesvc.makeFolder('top');
      const inner = await filesvc.makeFolder('inner', { _parents: top._id });
      const deep = await filesvc.upload('deep.txt', 'x', { _parents: inner._id });
      const outside = await filesvc.upload('outside.txt', 'x');
      await grant('reader', ['READ'], top._id);
      expect(await filesvc.list({}, 'reader')).toMatchObject({ _total: 3 });
      expect((await filesvc.list({ _name: '(deep|outside)\\.t.t' }, 'reader'))).toMatchObject({ _total: 1, _list: [{ _id: deep._id }] });
      await filesvc.as('reader', 'get', `${FILES}/${deep._id}/versions/${deep._tipId}/url`).expect(200);
      await filesvc.as('reader', 'get', `${FILES}/${outside._id}`).expect(404);
      await filesvc.as('reader', 'delete', `${FILES}/${deep._id}`).expect(403);
      await sendFile('reader', 'new.txt', { _parents: inner._id }).expect(403);
    });

    it('follow what is moved at once', async () => {
      const [open, closed] = [await filesvc.makeFolder('open'), await filesvc.makeFolder('closed')];
      const carried = await filesvc.makeFolder('carried', { _parents: open._id });
      const file = await filesvc.upload('carried.txt', 'x', { _parents: carried._id });
      await grant('follower', ['READ'], open._id);
      await filesvc.as('follower', 'get', `${FILES}/${file._id}`).expect(200);
      await put('owner', carried._id, { _name: 'carried', _parents: [closed._id] }).expect(200);
      await filesvc.as('follower', 'get', `${FILES}/${file._id}`).expect(404);
      expect(await filesvc.list({}, 'follower')).toMatchObject({ _total: 1 });
      await put('owner', carried._id, { _name: 'carried', _parents: [open._id] }).expect(200);
      await filesvc.as('follower', 'get', `${FILES}/${file._id}`).expect(200);
    });

    it('to create on a folder lets files in, and folders, but not at the root nor as versions of what is there', async () => {
      const folder = await filesvc.makeFolder('inbox');
      await filesvc.upload('there.txt', 'x', { _parents: folder._id });
      await grant('sender', ['CREATE', 'READ'], folder._id);
      await sendFile('sender', 'sent.txt', { _parents: folder._id }).expect(201);
      await filesvc.as('sender', 'post', FILES, { _name: 'sub', _namespaces: NS, _parents: folder._id }).expect(200);
      await sendFile('sender', 'sent.txt').expect(403);
      await sendFile('sender', 'there.txt', { _parents: folder._id }).expect(403);
      await grant('blind', ['CREATE'], folder._id);
      await sendFile('blind', 'dropped.txt', { _parents: folder._id }).expect(201);
      expect(await filesvc.list({}, 'blind')).toMatchObject({ _total: 0 });
    });

    it('to edit a file make its versions, also where nothing may be created', async () => {
      const folder = await filesvc.makeFolder('edited');
      const file = await filesvc.upload('edited.txt', 'x', { _parents: folder._id });
      await grant('editor', ['READ', 'EDIT'], file._id);
      expect((await sendFile('editor', 'edited.txt', { _parents: folder._id }).expect(201)).body[0]).toMatchObject({ _id: file._id, _tipVersion: 2 });
      expect((await sendFile('editor', 'other.txt', { _parents: folder._id }).expect(400)).body.details[0].field).toBe('_parents');
      await put('editor', file._id, { _name: 'edited 2.txt' }).expect(200);
      await filesvc.as('editor', 'delete', `${FILES}/${file._id}`).expect(403);
    });

    it('to move are EDIT on it and CREATE on the new folder', async () => {
      const target = await filesvc.makeFolder('target');
      const file = await filesvc.upload('to move.txt', 'x');
      const move = (subject: string) => put(subject, file._id, { _name: 'to move.txt', _parents: [target._id] });
      await grant('mover', ['READ']);
      await move('mover').expect(403);
      await grant('mover', ['EDIT'], file._id);
      await move('mover').expect(403);
      await grant('mover', ['CREATE'], target._id);
      await move('mover').expect(200);
    });

    it('in one namespace are nothing in another', async () => {
      const file = await filesvc.upload('mine.txt', 'x');
      await grant('abroad', ['READ'], file._id, OTHER);
      await filesvc.as('abroad', 'get', `${FILES}/${file._id}`, { nsfilter: [NS, OTHER] }).expect(404);
      expect(await filesvc.list({ nsfilter: [NS, OTHER] }, 'abroad')).toMatchObject({ _total: 0 });
    });

    it('keep namespaces apart: by name at the root, by folder below it', async () => {
      await grant('citizen', ['READ', 'CREATE', 'EDIT']);
      await grant('citizen', ['READ', 'CREATE', 'EDIT'], '*', OTHER);
      const send = (name: string, namespaces: string[], query: object = {}) => sendFile('citizen', name, { nsfilter: [NS, OTHER], _namespaces: namespaces, ...query });
      const here = (await send('same.txt', [NS]).expect(201)).body[0] as FileBody;
      const there = (await send('same.txt', [OTHER]).expect(201)).body[0] as FileBody;
      expect(there._id).not.toBe(here._id);
      await send('same.txt', [NS, OTHER]).expect(409);
      await send('half.txt', [NS]).expect(201);
      await send('half.txt', [NS, OTHER]).expect(409);
      const both = (await send('both.txt', [NS, OTHER]).expect(201)).body[0] as FileBody;
      expect((await send('both.txt', [OTHER]).expect(201)).body[0]).toMatchObject({ _id: both._id, _tipVersion: 2, _namespaces: [NS, OTHER] });
      const folder = await filesvc.makeFolder('only here');
      expect((await send('x.txt', [OTHER], { _parents: folder._id }).expect(400)).body.details[0].field).toBe('_namespaces');
    });

    it('taken away are gone with the answer', async () => {
      const file = await filesvc.upload('revoked.txt', 'x');
      await grant('former', ['READ']);
      await filesvc.as('former', 'get', `${FILES}/${file._id}`).expect(200);
      await filesvc.passport.revokeAll('former');
      await filesvc.as('former', 'get', `${FILES}/${file._id}`).expect(404);
    });

    it('may be capped by the token to reading', async () => {
      const file = await filesvc.upload('capped.txt', 'x');
      const token = await filesvc.passport.token('owner', { scopes: ['read'] });
      const send = (method: 'get' | 'delete') => filesvc.send(method, `${FILES}/${file._id}`, { nsfilter: NS }).set('authorization', `Bearer ${token}`);
      await send('get').expect(200);
      await send('delete').expect(403);
    });
  });

  describe('events', () => {
    const about = (...ids: string[]) => told.filter(({ resource }) => ids.includes(resource._id)).map(({ event, resource }) => ({ verb: event.replace('resource.Resource', ''), ...resource }));
    const toldOf = (count: number, ...ids: string[]) => eventually(() => { expect(about(...ids)).toHaveLength(count); return about(...ids); });

    it('tell of a file and its version, with what is absolute, in the order of the writes', async () => {
      const first = await filesvc.upload('model.GLB', 'four', { _tags: 'a' });
      const second = await filesvc.upload('model.GLB', 'sixsix');
      await filesvc.as('owner', 'delete', `${FILES}/${first._id}/versions/${second._tipId}`).expect(204);
      const file = { type: 'filesvc.File', _id: first._id, _irn: `filesvc:file:${first._id}`, _name: 'model.GLB', _namespaces: [NS], _parents: [], _tags: ['a'], _graphics: true, _status: 'UPLOAD_COMPLETED' };
      const one = { ...file, _tipId: first._tipId, _tipVersion: 1, _fileSize: 4 };
      const version = (id: string, number: number, size: number) => ({ type: 'filesvc.FileVersion', _id: id, _irn: `filesvc:file:${id}`, _name: 'model.GLB', _namespaces: [NS], _fileId: first._id, _version: number, _fileSize: size, _graphics: true, _status: 'UPLOAD_COMPLETED' });
      expect(await toldOf(6, first._id, first._tipId, second._tipId)).toEqual([
        { verb: 'Created', ...one }, { verb: 'Created', ...version(first._tipId, 1, 4) },
        { verb: 'Updated', ...file, _tipId: second._tipId, _tipVersion: 2, _fileSize: 6 }, { verb: 'Created', ...version(second._tipId, 2, 6) },
        { verb: 'Deleted', ...version(second._tipId, 2, 0) }, { verb: 'Updated', ...one },
      ]);
      expect(told.find(({ resource }) => resource._id === first._id)).toMatchObject({ event: 'resource.ResourceCreated', user: { id: 'owner' }, requestId: expect.any(String), timestamp: expect.stringMatching(/Z$/) });
    });

    it('tell of everything in a folder that is deleted', async () => {
      const folder = await filesvc.makeFolder('told');
      const inner = await filesvc.makeFolder('told inner', { _parents: folder._id });
      const file = await filesvc.upload('told.txt', 'x', { _parents: inner._id });
      await filesvc.as('owner', 'delete', `${FILES}/${folder._id}`).expect(204);
      const events = await toldOf(8, folder._id, inner._id, file._id, file._tipId);
      expect(events.filter(({ verb }) => verb === 'Deleted').map(({ type, _id }) => `${type} ${_id}`).sort()).toEqual(
        [`filesvc.File ${file._id}`, `filesvc.FileVersion ${file._tipId}`, `filesvc.Folder ${folder._id}`, `filesvc.Folder ${inner._id}`].sort(),
      );
      expect(events.find(({ verb, type }) => verb === 'Deleted' && type === 'filesvc.File')).toMatchObject({ _fileSize: 0, _parents: [inner._id] });
    });

    it('tell of renames and moves, and of versions that become graphics by them', async () => {
      const file = await filesvc.upload('scene.bin', 'x');
      await put('owner', file._id, { _name: 'scene.scz' }).expect(200);
      const events = await toldOf(4, file._id, file._tipId);
      expect(events.slice(2)).toMatchObject([{ verb: 'Updated', type: 'filesvc.File', _name: 'scene.scz', _graphics: true }, { verb: 'Updated', type: 'filesvc.FileVersion', _graphics: true }]);
    });

    it('are not told of what was refused', async () => {
      const file = await filesvc.upload('quiet.txt', 'x');
      await put('owner', file._id, { _name: '..' }).expect(400);
      await put('nobody', file._id, { _name: 'x' }).expect(404);
      await filesvc.as('owner', 'delete', FILES).send([file._id, 7]).expect(400);
      const last: FileBody = await filesvc.upload('last.txt', 'x');
      await toldOf(1, last._id);
      expect(about(file._id)).toHaveLength(1);
    });
  });
});
