import { createHash, randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { eventually } from '@twinyard/testing';
import { FILES, type FileBody, FilesvcUnderTest, NS } from './filesvc-under-test';
import { brokenInvariants } from './tree-invariants';

interface VersionBody {
  readonly _id: string;
  readonly _version: number;
  readonly _fileSize: number;
  readonly _sha256: string;
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const ordersOf = (values: readonly number[]): number[][] => (values.length === 0 ? [[]] : values.flatMap((value) => ordersOf(values.filter((other) => other !== value)).map((rest) => [value, ...rest])));

describe('versions', () => {
  let filesvc: FilesvcUnderTest;
  beforeAll(async () => { filesvc = await FilesvcUnderTest.start({ LINE_SILENCE_SECONDS: 600 }); });
  afterAll(() => filesvc?.stop());
  afterEach(async () => expect(await brokenInvariants(filesvc)).toEqual({}));

  const get = (id: string, query: Record<string, unknown> = {}) => filesvc.as('owner', 'get', `${FILES}/${id}`, query);
  const versionsOf = async (id: string, query: Record<string, unknown> = {}) => ((await get(`${id}/versions`, query).expect(200)).body as { _list: VersionBody[] })._list;
  const removeVersion = (id: string, versionId: string) => filesvc.as('owner', 'delete', `${FILES}/${id}/versions/${versionId}`);
  const contentAt = async (path: string) => (await filesvc.send('get', ((await get(path).expect(200)).body as FileBody)._url.slice('http://twinyard.test'.length)).expect(200)).text;

  it.each(ordersOf([1, 2, 3]))('deleted in the order %i, %i, %i leave the newest of the others as the tip, and no number is used again', async (...order) => {
    const name = `order ${order.join()}.txt`;
    for (const content of ['1', '22', '333']) await filesvc.upload(name, content);
    const [file] = (await filesvc.list({ _name: `^${name}$` }))._list as [FileBody];
    const byNumber = new Map((await versionsOf(file._id)).map((version) => [version._version, version]));
    for (const [step, number] of order.entries()) {
      await removeVersion(file._id, byNumber.get(number)?._id ?? '').expect(204);
      const left = order.slice(step + 1).sort();
      const tip = left.at(-1);
      if (tip === undefined) return void (await get(file._id).expect(404));
      expect((await get(file._id).expect(200)).body).toMatchObject({ _tipVersion: tip, _tipId: byNumber.get(tip)?._id, _nextVersion: 4, _fileVersion: { _fileSize: tip, _version: tip } });
      expect((await versionsOf(file._id)).map(({ _version }) => _version)).toEqual([...left].reverse());
      expect(await contentAt(`${file._id}/url`)).toBe(String(tip).repeat(tip));
      for (const version of left) expect(await contentAt(`${file._id}/versions/${byNumber.get(version)?._id}/url`)).toBe(String(version).repeat(version));
    }
  });

  it('say their size, digest, type, number and who made them; a rename changes their addresses, not them', async () => {
    const file = await filesvc.upload('first name.txt', 'content');
    const [version] = await versionsOf(file._id);
    expect(version).toMatchObject({ _fileId: file._id, _version: 1, _fileSize: 7, _sha256: sha256(Buffer.from('content')), _contentType: 'text/plain', _metadata: { _createdById: 'owner' } });
    await filesvc.as('owner', 'put', `${FILES}/${file._id}`).send({ _name: 'second name.txt' }).expect(200);
    expect(await versionsOf(file._id)).toEqual([version]);
    const { _url, ...rest } = (await get(`${file._id}/versions/${file._tipId}/url`).expect(200)).body as FileBody;
    expect([decodeURIComponent(new URL(_url).pathname).endsWith('/second name.txt'), rest]).toEqual([true, { ...version, _name: 'second name.txt' }]);
  });

  it('are paged as lists are', async () => {
    const parts = filesvc.as('owner', 'post', FILES, { _namespaces: NS });
    for (let index = 0; index < 30; index += 1) void parts.attach('file', Buffer.from('x'), 'paged.txt');
    const [file] = (await parts.expect(201)).body as FileBody[];
    const numbers = async (query: Record<string, unknown>) => (await versionsOf(file?._id ?? '', query)).map(({ _version }) => _version);
    expect((await numbers({})).length).toBe(25);
    expect(await numbers({ _offset: 28 })).toEqual([2, 1]);
    expect(await numbers({ page: '{"_offset":1,"_pageSize":2}' })).toEqual([29, 28]);
    expect(await numbers({ _pageSize: 0 })).toEqual([]);
    await get(`${file?._id}/versions`, { page: '{' }).expect(400);
  });

  describe('that come in pieces', () => {
    const bytes = randomBytes(2_000);
    const begin = (name: string, content = bytes) => filesvc.as('owner', 'post', FILES, { uploadType: 'resumable' }).send({ _name: name, _namespaces: [NS], _uploadMeta: { _size: content.length, _checksum: sha256(content) } });
    const begun = async (name: string) => (await begin(name).expect(200)).body as FileBody;
    const patch = (file: FileBody, offset: number, piece: Buffer) => fetch(`${filesvc.url}${FILES}/${file._id}?uploadType=resumable&nsfilter=${NS}`, {
      method: 'PATCH', body: piece, headers: { authorization: `Bearer ${filesvc.tokenOf('owner')}`, 'content-type': 'application/offset+octet-stream', 'upload-offset': String(offset) },
    });
    const uploads = () => filesvc.query("SELECT id FROM resumable_upload WHERE expires_at <= now()");

    it('are given up by DELETE, which answers the record as before, or 204 to who speaks tus', async () => {
      const old = await filesvc.upload('given up.bin', 'one');
      const before = (await get(old._id).expect(200)).body as FileBody;
      for (const [headers, status, body] of [[{}, 200, before], [{ 'tus-resumable': '1.0.0' }, 204, {}]] as const) {
        await patch(await begun('given up.bin'), 0, bytes.subarray(0, 500));
        const answer = await filesvc.as('owner', 'delete', `${FILES}/${old._id}`, { uploadType: 'resumable' }).set(headers);
        expect([answer.status, answer.body]).toEqual([status, body]);
      }
      await filesvc.as('owner', 'delete', `${FILES}/${old._id}`, { uploadType: 'resumable' }).expect(404);
    });

    it('are made also when the tip is deleted meanwhile, with the next number', async () => {
      const first = await filesvc.upload('tip goes.bin', 'one');
      const second = await filesvc.upload('tip goes.bin', 'two');
      const file = await begun('tip goes.bin');
      await patch(file, 0, bytes.subarray(0, 500));
      await removeVersion(file._id, second._tipId).expect(204);
      expect((await patch(file, 500, bytes.subarray(500))).status).toBe(204);
      expect((await versionsOf(file._id)).map(({ _version, _id }) => [_version, _id])).toEqual([[3, file._fileVersion._id], [1, first._tipId]]);
    });

    it('are gone on with over another line by whom nothing has come from for a while: a dead line says nothing', async () => {
      await filesvc.passport.grant('colleague', NS, ['*']);
      await filesvc.signIn('colleague');
      const file = await begun('dead line.bin');
      const address = `${FILES}/${file._id}?uploadType=resumable&nsfilter=${NS}`;
      const dead = connect(Number(new URL(filesvc.url).port), '127.0.0.1').on('error', () => undefined);
      dead.write(`PATCH ${address} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${filesvc.tokenOf('owner')}\r\nContent-Type: application/offset+octet-stream\r\nContent-Length: 2000\r\nUpload-Offset: 0\r\n\r\n`);
      dead.write(bytes.subarray(0, 700));
      const rest = async () => {
        await eventually(async () => expect(await filesvc.query('SELECT id FROM resumable_upload WHERE lease_until > now() AND file_id = $1', [file._id])).toHaveLength(1));
        const offset = async (subject: string) => (await fetch(filesvc.url + address, { method: 'HEAD', headers: { authorization: `Bearer ${filesvc.tokenOf(subject)}` } })).headers.get('upload-offset');
        const hearing = async () => {
          expect([await offset('colleague'), (await filesvc.as('colleague', 'delete', `${FILES}/${file._id}`, { uploadType: 'resumable' })).status]).toEqual(['0', 423]);
          return offset('owner');
        };
        await eventually(async () => expect(await hearing()).toBe('700'), { everyMs: 250 });
        expect((await patch(file, 700, bytes.subarray(700))).status).toBe(204);
        expect((await get(file._id).expect(200)).body).toMatchObject({ _status: 'UPLOAD_COMPLETED', _fileVersion: { _sha256: sha256(bytes) } });
      };
      await rest().finally(() => dead.destroy());
    });

    it('are over when the only version is deleted, and with it the file', async () => {
      const first = await filesvc.upload('file goes.bin', 'one');
      const file = await begun('file goes.bin');
      await patch(file, 0, bytes.subarray(0, 500));
      await removeVersion(file._id, first._tipId).expect(204);
      await get(file._id).expect(404);
      expect((await patch(file, 500, bytes.subarray(500))).status).toBe(404);
      await eventually(async () => expect(await uploads()).toEqual([]));
    });

    it.each([['in the middle', 500, 1_000], ['at the end', 500, 2_000]])('are over for whoever just sends one when the file is deleted %s', async (where, first, last) => {
      const file = await begun(`deleted ${where}.bin`);
      await patch(file, 0, bytes.subarray(0, 400));
      let goOn = (): void => undefined;
      const held = new Promise<void>((resolve) => (goOn = resolve));
      const body = new ReadableStream({
        async start(controller) {
          controller.enqueue(bytes.subarray(400, first));
          await held;
          controller.enqueue(bytes.subarray(first, last));
          controller.close();
        },
      });
      const answer = fetch(`${filesvc.url}${FILES}/${file._id}?uploadType=resumable&nsfilter=${NS}`, {
        method: 'PATCH', body, duplex: 'half', headers: { authorization: `Bearer ${filesvc.tokenOf('owner')}`, 'content-type': 'application/offset+octet-stream', 'upload-offset': '400' },
      } as RequestInit);
      await eventually(async () => expect(await filesvc.query('SELECT id FROM resumable_upload WHERE lease_until > now() AND file_id = $1', [file._id])).toHaveLength(1));
      await filesvc.as('owner', 'delete', `${FILES}/${file._id}`).expect(204);
      await eventually(async () => expect(await uploads()).toEqual([]));
      goOn();
      expect((await answer).status).toBe(404);
      await filesvc.sweep(new Date(Date.now() + 7_200_000));
      expect(await filesvc.query('SELECT key FROM loose_blob')).toEqual([]);
    });

    it('may begin again when the same content was announced before and has expired, before the sweep has come', async () => {
      const name = 'again.bin';
      await filesvc.upload(name, 'one');
      const file = await begun(name);
      await patch(file, 0, bytes.subarray(0, 500));
      await filesvc.query(`UPDATE resumable_upload SET expires_at = now() - interval '1 second'`);
      const again = await begun(name);
      expect(again).toMatchObject({ _id: file._id, _uploadMeta: { _uploadOffset: 0 } });
      expect(again._fileVersion._id).not.toBe(file._fileVersion._id);
      expect((await patch(again, 0, bytes)).status).toBe(204);
      expect((await get(file._id).expect(200)).body).toMatchObject({ _tipVersion: 2, _tipId: again._fileVersion._id });
      await filesvc.sweep();
      expect(await uploads()).toEqual([]);
    });

    it('are told of anew to whoever asks how far they have come, whatever tag it has', async () => {
      const file = await begun('asked.bin');
      const ask = (tag = '"none"') => get(file._id, { includeUploadMeta: true }).set('if-none-match', tag);
      const { etag } = (await ask().expect(200)).headers as { etag: string };
      await ask(etag).expect(304);
      await patch(file, 0, bytes.subarray(0, 500));
      await patch(file, 500, bytes.subarray(500, 1_000));
      const { etag: later } = (await ask(etag).expect(200)).headers as { etag: string };
      await patch(file, 1_000, bytes.subarray(1_000, 1_500));
      expect((await ask(later).expect(200)).body).toMatchObject({ _uploadMeta: { _uploadOffset: 1_500 } });
    });

    it('fail alone: while another content of a file without versions still comes, the file waits for that', async () => {
      const contents = [randomBytes(100), randomBytes(200)] as const;
      const patchOf = (id: string, content: Buffer, sent: Buffer) => fetch(`${filesvc.url}${FILES}/${id}?uploadType=resumable&checksum=${sha256(content)}&nsfilter=${NS}`, {
        method: 'PATCH', body: sent, headers: { authorization: `Bearer ${filesvc.tokenOf('owner')}`, 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' },
      });
      for (const content of contents) await begin('two contents.bin', content).expect(200);
      const [file] = (await filesvc.list({ _name: '^two contents' }))._list as [FileBody];
      const statusNow = async () => (await get(file._id).expect(200)).body._status as string;
      expect((await patchOf(file._id, contents[0], Buffer.alloc(100))).status).toBe(460);
      expect(await statusNow()).toBe('UPLOADING');
      expect((await patchOf(file._id, contents[1], Buffer.alloc(200))).status).toBe(460);
      expect(await statusNow()).toBe('UPLOAD_FAILED');
      await begin('two contents.bin', contents[1]).expect(200);
      expect((await patchOf(file._id, contents[1], contents[1])).status).toBe(204);
      expect(await statusNow()).toBe('UPLOAD_COMPLETED');
    });

    it('may come whole instead, by the right that began them; somebody else needs more', async () => {
      const folder = await filesvc.makeFolder('inbox');
      for (const subject of ['sender', 'another']) await filesvc.passport.grant(subject, NS, ['CREATE'], `filesvc:file:${folder._id}`);
      await filesvc.signIn('sender', 'another');
      await filesvc.as('sender', 'post', FILES, { uploadType: 'resumable' }).send({ _name: 'sent.bin', _namespaces: [NS], _parents: [folder._id], _uploadMeta: { _size: 10, _checksum: sha256(bytes) } }).expect(200);
      const send = (subject: string) => filesvc.as(subject, 'post', FILES, { _namespaces: NS, _parents: folder._id }).attach('file', Buffer.from('whole'), 'sent.bin');
      await send('another').expect(403);
      expect((await send('sender').expect(201)).body[0]).toMatchObject({ _tipVersion: 1 });
      await send('sender').expect(403);
    });

    it('begun and given up, or sent whole, leave a file that waits and has no content without address and versions', async () => {
      const file = await begun('waits.bin');
      for (const path of ['url', `versions/${file._fileVersion._id}`, `versions/${file._fileVersion._id}/url`]) await get(`${file._id}/${path}`).expect(404);
      expect(await versionsOf(file._id)).toEqual([]);
      const listed = (await filesvc.list({ _status: 'UPLOAD_PENDING,UPLOADING', _ids: file._id, withUrl: true }))._list;
      expect([listed.length, listed[0]?._url]).toEqual([1, undefined]);
      expect(await filesvc.upload('waits.bin', 'whole')).toMatchObject({ _id: file._id, _tipVersion: 1, _status: 'UPLOAD_COMPLETED' });
    });
  });
});
