import { createHash, randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { Readable } from 'node:stream';
import { ObjectStore } from '@twinyard/blobs';
import { eventually } from '@twinyard/testing';
import { FILES, type FileBody, FilesvcUnderTest, NS, OTHER } from './filesvc-under-test';

const BOUNDARY = '----a-boundary-of-the-tests';
const MEGABYTE = 1024 ** 2;

describe('uploads over HTTP', () => {
  let filesvc: FilesvcUnderTest;
  beforeAll(async () => {
    filesvc = await FilesvcUnderTest.start({ MAX_FILE_SIZE: 32 * MEGABYTE });
  });
  afterAll(() => filesvc?.stop());

  const post = (query: object = {}, subject = 'owner') => filesvc.as(subject, 'post', FILES, { _namespaces: NS, ...query });
  const raw = (body: string | Buffer, query: object = {}) =>
    post(query).set('content-type', `multipart/form-data; boundary=${BOUNDARY}`).send(Buffer.from(body) as unknown as string);
  const part = (headers: readonly string[], content: string) => `--${BOUNDARY}\r\n${headers.join('\r\n')}\r\n\r\n${content}\r\n`;
  const END = `--${BOUNDARY}--\r\n`;

  it('answers 201 with the records of a first version', async () => {
    const { body } = await post({ _tags: 'one, two' }).attach('file', Buffer.from('hello'), { filename: 'hello.txt', contentType: 'text/plain; charset=utf-8' }).expect(201);
    expect(body).toHaveLength(1);
    const [file] = body as FileBody[];
    expect(file).toMatchObject({
      _name: 'hello.txt', _type: 'file', _namespaces: [NS], _parents: [], _tags: ['one', 'two'], _status: 'UPLOAD_COMPLETED', _tipVersion: 1, _nextVersion: 2,
      _irn: `filesvc:file:${file?._id}`, _previews: [], _metadata: { _createdById: 'owner' },
      _fileVersion: { _id: file?._tipId, _fileId: file?._id, _version: 1, _fileSize: 5, _contentType: 'text/plain; charset=utf-8', _sha256: createHash('sha256').update('hello').digest('hex') },
    });
    expect((await filesvc.as('owner', 'get', `${FILES}/${file?._id}`).expect(200)).body).toEqual(file);
  });

  it('streams 30 MB in and out and keeps every byte', async () => {
    const bytes = randomBytes(30 * MEGABYTE);
    const file = await filesvc.upload('large.bin', bytes);
    const { body } = await filesvc.send('get', await filesvc.address(file)).buffer(true).parse(toBuffer).expect(200);
    expect((body as Buffer).equals(bytes)).toBe(true);
  });

  it('takes a body whose length nobody has announced', async () => {
    const sent = await streamUpload(filesvc, 'streamed.bin', 5 * MEGABYTE);
    expect(sent.status).toBe(201);
    expect((sent.body as FileBody[])[0]).toMatchObject({ _fileVersion: { _fileSize: 5 * MEGABYTE } });
  });

  it('takes several parts, each a file, and passes over fields and parts of other names', async () => {
    const sent = post({ _name: 'first.txt' }).field('comment', 'x').attach('file', Buffer.from('1'), 'a.txt').attach('other', Buffer.from('no'), 'no.txt').attach('file', Buffer.from('22'), 'b.txt');
    const { body } = await sent.expect(201);
    expect((body as FileBody[]).map(({ _name, _fileVersion }) => [_name, (_fileVersion as { _fileSize?: number })._fileSize])).toEqual([['first.txt', 1], ['b.txt', 2]]);
    expect((await filesvc.list({ _name: '^no\\.txt$' }))._total).toBe(0);
  });

  it('takes small and large parts in one message, in their order, and keeps every byte', async () => {
    const sizes = [0, 1, 32_768, 32_769, 10, 3_000_000, 32_767, 2];
    const contents = sizes.map((size) => randomBytes(size));
    const sent = contents.reduce((message, content, index) => message.attach('file', content, `mixed-${index}.bin`), post());
    const files = (await sent.expect(201)).body as FileBody[];
    expect(files.map(({ _name }) => _name)).toEqual(sizes.map((_size, index) => `mixed-${index}.bin`));
    for (const [index, file] of files.entries()) {
      const { body } = await filesvc.send('get', await filesvc.address(file)).buffer(true).parse(toBuffer).expect(200);
      expect((body as Buffer).equals(contents[index] as Buffer)).toBe(true);
    }
  });

  it('keeps type and encoding of the part, else the encoding of the request', async () => {
    const disposition = 'Content-Disposition: form-data; name="file"; filename="p.json"';
    const { body } = await raw(part([disposition, 'Content-Type: application/json', 'Content-Encoding: gzip'], '{}') + END).expect(201);
    expect((body as FileBody[])[0]).toMatchObject({ _fileVersion: { _contentType: 'application/json', _contentEncoding: 'gzip' } });
    const second = await post().set('content-encoding', 'br').attach('file', Buffer.from('x'), { filename: 'q.bin', contentType: 'not a type' }).expect(201);
    expect((second.body as FileBody[])[0]).toMatchObject({ _fileVersion: { _contentType: 'application/octet-stream', _contentEncoding: 'br' } });
    const plain = part([disposition, 'Content-Encoding: identity'], '{}');
    const third = await raw(plain + END).set('content-encoding', 'gzip').expect(201);
    expect((third.body as [FileBody])[0]._fileVersion).not.toHaveProperty('_contentEncoding');
  });

  it.each([
    ['UTF-8 bytes', 'filename="Grundriß Ω.pdf"', 'Grundriß Ω.pdf'],
    ['RFC 5987', "filename*=UTF-8''Grundri%C3%9F.pdf", 'Grundriß.pdf'],
    ['a quote as forms write it', 'filename="say %22hi%22.txt"', 'say "hi".txt'],
    ['a decomposed letter', 'filename="e\u0301te\u0301.txt"', 'été.txt'],
    ['a path', 'filename="C:/plans/a plan.txt"', 'a plan.txt'],
    ['a path of Windows', 'filename="C:\\plans\\new\\a \\"plan\\".txt"', 'a "plan".txt'],
  ])('reads a name in %s', async (_form, parameter, name) => {
    const { body } = await raw(part([`Content-Disposition: form-data; name="file"; ${parameter}`], 'x') + END).expect(201);
    expect((body as FileBody[])[0]?._name).toBe(name);
  });

  it('takes names that are not UTF-8 for Windows-1252, so that two files stay two', async () => {
    const folder = await filesvc.makeFolder('windows');
    const upload = (parameter: string) => raw(Buffer.from(part([`Content-Disposition: form-data; name="file"; ${parameter}`], 'x') + END, 'latin1'), { _parents: folder._id }).expect(201);
    for (const parameter of ['filename="T\xfcr.txt"', 'filename="T\xf6r.txt"', "filename*=UTF-8''T%E4r.txt"]) await upload(parameter);
    const { _list } = await filesvc.list({ _parents: folder._id });
    expect(_list.map(({ _name, _tipVersion }) => [_name, _tipVersion]).sort()).toEqual([['Tär.txt', 1], ['Tör.txt', 1], ['Tür.txt', 1]].sort());
  });

  it('makes a new version of the same name in the same folder, with the next number', async () => {
    const folder = await filesvc.makeFolder('versions');
    const first = await filesvc.upload('plan.txt', 'one', { _parents: folder._id, _tags: 'kept' });
    const second = await filesvc.upload('plan.txt', 'two!', { _parents: folder._id });
    expect(second).toMatchObject({ _id: first._id, _tipVersion: 2, _nextVersion: 3, _tags: ['kept'], _fileVersion: { _version: 2, _fileSize: 4 } });
    expect(await filesvc.upload('plan.txt', 'elsewhere')).toMatchObject({ _tipVersion: 1 });
    expect((await filesvc.list({ _parents: folder._id }))._total).toBe(1);
  });

  it('gives two parts of one name two versions', async () => {
    const { body } = await post().attach('file', Buffer.from('1'), 'twice.txt').attach('file', Buffer.from('2'), 'twice.txt').expect(201);
    const [one, two] = body as FileBody[];
    expect(one?._id).toBe(two?._id);
    expect([one?._tipVersion, two?._tipVersion].sort()).toEqual([1, 2]);
  });

  it('tells new files from new versions in one message, and answers in the order of its parts', async () => {
    const there = await filesvc.upload('mixed b.txt', 'b');
    const names = ['mixed c.txt', 'mixed b.txt', 'mixed a.txt', 'mixed c.txt'];
    const { body } = await names.reduce((sent, name) => sent.attach('file', Buffer.from(name), name), post()).expect(201);
    expect(body.map(({ _name, _tipVersion }: FileBody) => [_name, _tipVersion])).toEqual([['mixed c.txt', 1], ['mixed b.txt', 2], ['mixed a.txt', 1], ['mixed c.txt', 2]]);
    expect([body[1]._id, body[3]._id]).toEqual([there._id, body[0]._id]);
    expect((await filesvc.list({ _name: '^mixed ' }))._list.map(({ _name }) => _name)).toEqual(['mixed b.txt', 'mixed a.txt', 'mixed c.txt']);
  });

  it('makes twenty versions and one file of twenty uploads of one name at once', async () => {
    const folder = await filesvc.makeFolder('raced');
    const made = await Promise.all(Array.from({ length: 20 }, (_, index) => filesvc.upload('raced.txt', `content ${index}`, { _parents: folder._id })));
    expect(new Set(made.map(({ _id }) => _id)).size).toBe(1);
    expect(made.map(({ _tipVersion }) => _tipVersion as number).sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    expect((await filesvc.as('owner', 'get', `${FILES}/${made[0]?._id}`).expect(200)).body).toMatchObject({ _tipVersion: 20, _nextVersion: 21 });
    expect((await filesvc.as('owner', 'get', `${FILES}/${made[0]?._id}/versions`, { _pageSize: 0 }).expect(200)).body).toMatchObject({ _total: 20, _list: [] });
  });

  it('refuses (409) the name of a folder', async () => {
    await filesvc.makeFolder('a-folder');
    await post().attach('file', Buffer.from('x'), 'a-folder').expect(409);
  });

  it.each([
    ['no namespaces', { _namespaces: undefined }, '_namespaces'],
    ['a namespace outside nsfilter', { _namespaces: OTHER }, '_namespaces'],
    ['a parent that is not there', { _parents: '00000000-0000-4000-8000-000000000000' }, '_parents'],
    ['a parent that is no id', { _parents: 'x' }, '_parents'],
    ['two parents', { _parents: 'a,b' }, '_parents'],
    ['eleven tags', { _tags: Array.from({ length: 11 }, (_, index) => `t${index}`).join() }, '_tags'],
    ['a long tag', { _tags: 'x'.repeat(51) }, '_tags'],
    ['a name that climbs', { _name: '../up' }, '_name'],
    ['a name of 256 bytes', { _name: 'x'.repeat(256) }, '_name'],
    ['a resumable upload', { uploadType: 'resumable' }, 'uploadType'],
  ])('refuses (400) %s', async (_fault, query, field) => {
    const { body } = await post(query).attach('file', Buffer.from('x'), 'refused.txt').expect(400);
    expect(body.details).toEqual(expect.arrayContaining([expect.objectContaining({ field })]));
    expect((await filesvc.list({ _name: '^refused' }))._total).toBe(0);
  });

  it('refuses (400) a file as parent, a message without a file, and one that breaks off', async () => {
    const file = await filesvc.upload('no-folder.txt', 'x');
    await post({ _parents: file._id }).attach('file', Buffer.from('x'), 'a.txt').expect(400);
    expect((await post().field('only', 'a field').expect(400)).body.details).toEqual([{ field: 'file', issue: 'is missing' }]);
    await raw(part(['Content-Disposition: form-data; name="file"; filename="cut.txt"'], 'x') + `--${BOUNDARY}`).expect(400);
    await raw(`${part(['Content-Disposition: form-data; name="file"; filename="cut.txt"'], 'x').slice(0, -2)}`).expect(400);
    await raw('').expect(400);
    expect((await filesvc.list({ _name: '^cut' }))._total).toBe(0);
  });

  it('keeps nothing of a request when one of its parts is refused', async () => {
    const before = await filesvc.blobs();
    await post().attach('file', Buffer.from('x'), 'good.txt').attach('file', Buffer.from('x'), '..').expect(400);
    expect((await filesvc.list({ _name: '^good' }))._total).toBe(0);
    expect(await filesvc.blobs()).toEqual(expect.arrayContaining(before));
    expect((await filesvc.blobs()).length).toBe(before.length);
  });

  it('refuses (413) a file over the limit and keeps nothing of it', async () => {
    const before = (await filesvc.blobs()).length;
    expect((await post().attach('file', Buffer.alloc(32 * MEGABYTE + 1), 'over.bin').expect(413)).body.code).toBe('too_large');
    expect((await filesvc.blobs()).length).toBe(before);
    await filesvc.upload('exact.bin', Buffer.alloc(32 * MEGABYTE));
  });

  it('asks who is there and what they may before it reads', async () => {
    await filesvc.send('post', FILES, { nsfilter: NS, _namespaces: NS }).attach('file', Buffer.from('x'), 'a.txt').expect(401);
    await post({}, 'nobody').attach('file', Buffer.from('x'), 'a.txt').expect(403);
    await post({ nsfilter: undefined }).attach('file', Buffer.from('x'), 'a.txt').expect(400);
    const folder = await filesvc.makeFolder('not theirs');
    const theirs = { nsfilter: OTHER, _namespaces: OTHER, _parents: folder._id };
    const { body } = await post(theirs, 'stranger').attach('file', Buffer.from('x'), 'a.txt').expect(400);
    expect(body.details).toEqual([{ field: '_parents', issue: 'names no folder' }]);
  });

  it('keeps nothing when the client goes away', async () => {
    const before = await filesvc.blobs();
    const ended = endedPuts(filesvc.app.get(ObjectStore));
    await goAwayInTheMiddle(filesvc);
    await eventually(() => expect(ended()).toBe(1));
    await eventually(async () => expect(await filesvc.query('SELECT key FROM loose_blob')).toEqual([]));
    // What a cut-off put leaves behind would be swept now.
    await expect(filesvc.app.get(ObjectStore).sweep(new Date(Date.now() + 60_000))).resolves.toBe(0);
    expect((await filesvc.blobs()).length).toBe(before.length);
    expect((await filesvc.list({ _name: '^gone' }))._total).toBe(0);
  });

  it('keeps nothing of an upload that took longer than one may', async () => {
    const before = await filesvc.blobs();
    filesvc.sweepWhileStoring('putBytes');
    await filesvc.as('owner', 'post', FILES, { _namespaces: NS }).attach('file', Buffer.from('late'), 'late.txt').expect(503);
    expect((await filesvc.blobs()).length).toBe(before.length);
    await filesvc.upload('late.txt', 'late');
  });

  it('sweeps what a crash left: a blob that was stored for no version', async () => {
    const isThere = async () => (await filesvc.blobs()).includes('files/left-by-a-crash');
    await filesvc.app.get(ObjectStore).put('files/left-by-a-crash', Readable.from([Buffer.from('x')]));
    await filesvc.query("INSERT INTO loose_blob VALUES ('files/left-by-a-crash', now() + interval '1 day')");
    await filesvc.sweep();
    expect(await isThere()).toBe(true);
    await filesvc.sweep(new Date(Date.now() + 2 * 86_400_000));
    expect(await isThere()).toBe(false);
    expect(await filesvc.query('SELECT key FROM loose_blob')).toEqual([]);
  });
});

function toBuffer(response: unknown, done: (error: Error | null, body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  const stream = response as Readable;
  stream.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => done(null, Buffer.concat(chunks)));
}

interface Answer {
  readonly status: number | undefined;
  readonly body: unknown;
}

function openUpload(filesvc: FilesvcUnderTest) {
  return httpRequest(`${filesvc.url}${FILES}?nsfilter=${NS}&_namespaces=${NS}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${filesvc.tokenOf('owner')}`, 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
  });
}

const headOf = (name: string) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n`;

/** A body of which no more exists at once than the line takes. */
async function streamUpload(filesvc: FilesvcUnderTest, name: string, size: number): Promise<Answer> {
  const sending = openUpload(filesvc);
  const answer = new Promise<Answer>((resolve, reject) => {
    sending.on('error', reject).on('response', (response) => {
      let text = '';
      response.on('data', (chunk) => { text += String(chunk); }).on('end', () => resolve({ status: response.statusCode, body: JSON.parse(text) }));
    });
  });
  Readable.from((function* () {
    yield headOf(name);
    for (let at = 0; at < size; at += MEGABYTE) yield Buffer.alloc(Math.min(MEGABYTE, size - at), at);
    yield `\r\n--${BOUNDARY}--\r\n`;
  })()).pipe(sending);
  return answer;
}

async function goAwayInTheMiddle(filesvc: FilesvcUnderTest): Promise<void> {
  const sending = openUpload(filesvc);
  const closed = new Promise((resolve) => sending.on('error', () => undefined).once('close', resolve));
  sending.write(headOf('gone.bin'));
  // More than the line holds: a good part of it has reached the store.
  await new Promise((resolve) => sending.write(Buffer.alloc(24 * MEGABYTE), resolve));
  await eventually(async () => expect(await filesvc.query('SELECT key FROM loose_blob')).toHaveLength(1));
  sending.destroy();
  await closed;
}

/** How many puts have ended since, well or not: what is still being written is nobody's to judge. */
function endedPuts(store: ObjectStore): () => number {
  let ended = 0;
  const put = store.put.bind(store);
  store.put = (...given) => put(...given).finally(() => { ended += 1; });
  return () => ended;
}
