import { request as httpRequest } from 'node:http';
import type { ObjectStore } from '@twinyard/blobs';
import { eventually } from '@twinyard/testing';
import { FILES, type FileBody, FilesvcUnderTest, NS } from './filesvc-under-test';
import { brokenInvariants } from './tree-invariants';

const BOUNDARY = '----a-boundary-of-the-tests';
const DISPOSITION = 'Content-Disposition: form-data; name="file"';
const END = `--${BOUNDARY}--\r\n`;
const part = (headers: string, content = 'x') => `--${BOUNDARY}\r\n${headers}\r\n\r\n${content}\r\n`;
const named = (name: string, content = 'x') => part(`${DISPOSITION}; filename="${name}"`, content);

describe('what clients send by mistake or on purpose', () => {
  let filesvc: FilesvcUnderTest;
  let folder: FileBody;
  let file: FileBody;
  beforeAll(async () => {
    filesvc = await FilesvcUnderTest.start();
    folder = await filesvc.makeFolder('folder');
    file = await filesvc.upload('file.txt', 'x');
  });
  afterAll(async () => {
    expect(await brokenInvariants(filesvc)).toEqual({});
    await filesvc.stop();
  });

  let count = 0;
  const newName = () => `name ${(count += 1)}`;
  const make = (body: object | string, query: Record<string, unknown> = {}) => filesvc.as('owner', 'post', FILES, query).send(body as object);
  const put = (body: object) => filesvc.as('owner', 'put', `${FILES}/${file._id}`).send({ _name: 'file.txt', ...body });
  const raw = (body: string, query: object = {}) =>
    filesvc.as('owner', 'post', FILES, { _namespaces: NS, ...query }).set('content-type', `multipart/form-data; boundary=${BOUNDARY}`).send(Buffer.from(body) as unknown as string);
  /** As it stands in an address: no client library rewrites it. */
  const list = (query: string) => filesvc.send('get', `${FILES}?nsfilter=${NS}&${query}`).set('authorization', `Bearer ${filesvc.tokenOf('owner')}`);

  describe('as parents', () => {
    it.each([[[]], [['root']], ['root'], [''], [null], [undefined]])('%j is the root', async (_parents) => {
      expect((await make({ _name: newName(), _namespaces: [NS], _parents }).expect(200)).body._parents).toEqual([]);
    });

    it.each([[[null]], [[1]], [['']], [['null']], [['undefined']], [[[]]], [{}], [['5f9f1b9b9b9b9b9b9b9b9b9b']], [['root', 'root']], ['a,b']])('%j is refused (400), in a new folder and in a move', async (_parents) => {
      for (const request of [make({ _name: newName(), _namespaces: [NS], _parents }), put({ _parents })]) {
        expect((await request.expect(400)).body.details[0]).toMatchObject({ field: '_parents' });
      }
      expect((await filesvc.as('owner', 'get', `${FILES}/${file._id}`)).body._parents).toEqual([]);
    });

    it('an id in capitals is the same folder', async () => {
      const _parents = [folder._id.toUpperCase()];
      expect((await make({ _name: newName(), _namespaces: [NS], _parents }).expect(200)).body._parents).toEqual([folder._id]);
    });
  });

  describe('as names', () => {
    it.each([['255 letters', 'x'.repeat(255)], ['255 bytes', `${'é'.repeat(127)}x`], ['dots', '...'], ['letter and spaces', ' a '], ['a device of Windows', 'CON'], ['a dot at the end', 'a.']])('%s are one', async (_what, _name) => {
      expect((await make({ _name, _namespaces: [NS] }).expect(200)).body._name).toBe(_name);
    });

    it.each(['', ' ', '\t', '.', '..', 'a/b', 'a\\b', 'a\u0085b', null, 5, ['a'], { a: 1 }])('%j is none (400)', async (_name) => {
      for (const request of [make({ _name, _namespaces: [NS] }), put({ _name })]) expect((await request.expect(400)).body.details).toEqual([expect.objectContaining({ field: '_name' })]);
    });

    it('256 bytes are none (400)', async () => {
      await make({ _name: 'é'.repeat(128), _namespaces: [NS] }).expect(400);
      await put({ _name: 'x'.repeat(256) }).expect(400);
    });

    it('two forms of a letter are one name, in folders, uploads, renames and lists', async () => {
      const [composed, decomposed] = ['\u00e9t\u00e9', 'e\u0301te\u0301'];
      const made = await filesvc.upload(`${decomposed}.txt`, 'one');
      expect(made._name).toBe(`${composed}.txt`);
      expect((await raw(named(`${composed}.txt`) + named(`${decomposed}.txt`) + END).expect(201)).body.map(({ _id }: FileBody) => _id)).toEqual([made._id, made._id]);
      await make({ _name: `${decomposed}.txt`, _namespaces: [NS] }).expect(409);
      await put({ _name: `${decomposed}.txt` }).expect(409);
      expect((await filesvc.list({ _name: `^${decomposed}\\.txt$` }))._total).toBe(1);
    });
  });

  describe('as ids', () => {
    it.each(['null', 'undefined', '[object%20Object]', '5f9f1b9b9b9b9b9b9b9b9b9b', '%20', '*', '00000000-0000-0000-0000-000000000000'])('%s is nobody\'s (404)', async (id) => {
      for (const path of [id, `${id}/children`, `${id}/url`, `${id}/versions`, `${file._id}/versions/${id}`, `${file._id}/versions/${id}/url`]) await filesvc.as('owner', 'get', `${FILES}/${path}`).expect(404);
      await filesvc.as('owner', 'put', `${FILES}/${id}`).send({ _name: 'x' }).expect(404);
      for (const path of [id, `${file._id}/versions/${id}`]) await filesvc.as('owner', 'delete', `${FILES}/${path}`).expect(404);
    });

    it('an id in capitals is the same file and version', async () => {
      const made = await filesvc.upload(newName(), 'x');
      const [id, versionId] = [made._id.toUpperCase(), made._tipId.toUpperCase()];
      for (const path of [id, `${id}/versions/${versionId}`, `${id}/versions/${versionId}/url`]) await filesvc.as('owner', 'get', `${FILES}/${path}`).expect(200);
      expect((await list(`_ids=${id}`).expect(200)).body._total).toBe(1);
      await filesvc.as('owner', 'delete', `${FILES}/${id}/versions/${versionId}`).expect(204);
      await filesvc.as('owner', 'get', `${FILES}/${made._id}`).expect(404);
    });

    it.each([['[null]', [null]], ['a number', [7]], ['a text', 'x'], ['an object', {}], ['null', null], ['1,001 ids', Array.from({ length: 1_001 }, () => 'x')]])('to delete, %s is refused (400)', async (_what, body) => {
      await filesvc.as('owner', 'delete', FILES).set('content-type', 'application/json').send(JSON.stringify(body)).expect(400);
    });

    it('to delete, a pattern is no id', async () => {
      await filesvc.as('owner', 'delete', FILES).send(['*', '%', 'root', '']).expect(204);
      expect((await list('').expect(200)).body._total).toBeGreaterThan(0);
    });
  });

  describe('as tags', () => {
    it.each([[[' a ', 'a', ''], ['a']], ['a, b', ['a', 'b']], ['', []], [[], []], [['x'.repeat(50)], ['x'.repeat(50)]], [[...'abcdefghij', 'a'], [...'abcdefghij']]])('%j are %j', async (_tags, kept) => {
      expect((await put({ _tags }).expect(200)).body._tags).toEqual(kept);
    });

    it('null are those that are there, and eleven, or one of 51 characters, are refused (400)', async () => {
      await put({ _tags: ['kept'] }).expect(200);
      expect((await put({ _tags: null }).expect(200)).body._tags).toEqual(['kept']);
      for (const _tags of [[...'abcdefghijk'], ['😀'.repeat(51)], [null], { a: 1 }, 7]) expect((await put({ _tags }).expect(400)).body.details[0].field).toBe('_tags');
      await put({ _tags: ['😀'.repeat(50)] }).expect(200);
    });
  });

  describe('as bodies of a folder', () => {
    it.each([['application/json', ''], ['application/json', 'null'], ['application/json', '[]'], ['application/x-www-form-urlencoded', ''], ['text/plain', 'x']])('%s %j leaves it to the query', async (type, body) => {
      await filesvc.as('owner', 'post', FILES, { _name: newName(), _namespaces: NS }).set('content-type', type).send(body).expect(200);
    });
  });

  describe('as parameters of a list', () => {
    it.each([
      ['page={', 400], ['page=[]', 25], ['page=null', 25], ['page={"offset":1,"pageSize":3}', 25], ['page={"_offset":"1","_pageSize":"3"}', 3], ['_pageSize=-1', 25], ['_pageSize=x', 25], ['_pageSize=1e400', 25],
      ['_pageSize=0', 0], ['page={"_pageSize":0}', 0], ['_pageSize=201', 200], ['_offset=-1', 25], ['_offset=9007199254740993', 25], ['_unknown=1&query={&_sort=x&_parents[]=root', 25], ['_type=', 25], ['_type=link', 400], ['_name=%00', 400], ['_tags=%00', 400],
    ])('%s is answered by %i', async (query, expected) => {
      const { status, body } = await list(query);
      expect([status, status === 200 ? body._pageSize : status]).toEqual([expected === 400 ? 400 : 200, expected]);
    });

    it.each(['((a{100}){100}){100}', '(a{1000}){1000}', 'x{0,1000}{0,1000}', 'a**', '\\C', '(?<=a)b'])('%s is refused (400) as a name, at once', async (name) => {
      await filesvc.as('owner', 'get', FILES, { _name: name }).expect(400);
    });

    it.each([
      ['stars in stars', '(a*)*$'], ['two ways of one', '(a|aa)+$'], ['many stars', '(.*)(.*)(.*)(.*)(.*)(.*)x'], ['a thousand dots', '.'.repeat(1_000)], ['a class a thousand times', '[^a]{1000}'],
      ['letters a thousand times', '\\pL{1000}'], ['deep groups', `${'('.repeat(490)}${')'.repeat(490)}`],
    ])('%s hold nobody up', async (_what, name) => {
      await filesvc.as('owner', 'get', FILES, { _name: name, _pageSize: 1 }).expect(200);
    });
  });

  describe('as multipart messages', () => {
    /** So many files and folders, and the bytes of what they hold. */
    const holdsNothingBut = async (total: number) => {
      const versions = await filesvc.query('SELECT id FROM file_version');
      expect([(await filesvc.list({ _pageSize: 0 }))._total, await filesvc.query('SELECT key FROM loose_blob'), (await filesvc.blobs()).length]).toEqual([total, [], versions.length]);
    };

    it.each([
      ['a part without a file name', part(DISPOSITION) + END], ['a part without headers', `--${BOUNDARY}\r\n\r\nx\r\n${END}`], ['a part without a disposition', part('Content-Type: text/plain') + END], ['an empty file name', named('') + END],
      ['a part of another name', part('Content-Disposition: form-data; name="files[]"; filename="x"') + END], ['no part', END], ['no end', named('no end')], ['no end of a field beside a file', named('good') + part('Content-Disposition: form-data; name="other"', 'x'.repeat(200))], ['no end of a large part', named('no end', 'x'.repeat(200_000))], ['a good part and half of a large one', named('good') + named('half', 'x'.repeat(200_000)).slice(0, -50_000)], ['headers without an end', `--${BOUNDARY}\r\n${DISPOSITION}; filename="x"`], ['nothing', ''],
      ['a good part and one whose disposition ends in a semicolon and nonsense', named('good') + part(`${DISPOSITION}; filename="x"; =`) + END], ['a good part and one whose name holds a tab', named('good') + named('a\tb') + END],
      ['a good part and one without a disposition', named('good') + part('Content-Type: text/plain') + END], ['a good part and one behind a boundary with blanks', named('good') + named('x').replace('\r\n', '  \r\n') + END],
      ['bytes in Base64, which would be kept as they are', part(`${DISPOSITION}; filename="x"\r\nContent-Transfer-Encoding: base64`, 'eA==') + END],
      ['a name that is too long', named('x'.repeat(256)) + END], ['a good part and a bad one', named('good') + named('..') + END],
    ])('%s is refused (400), and nothing is left of it', async (_what, body) => {
      const { _total } = await filesvc.list({ _pageSize: 0 });
      await raw(body).expect(400);
      await eventually(() => holdsNothingBut(_total));
    });

    it.each([10, 200_000])('a repetition that breaks off in a part of %i bytes is refused (400), whatever was answered to the whole', async (length) => {
      const message = named(newName(), 'x'.repeat(length));
      const send = (body: string) => raw(body).set('idempotency-key', `broken ${length}`);
      await send(message + END).expect(201);
      await send(message).expect(400);
      expect((await send(message + END).expect(201)).headers['idempotent-replayed']).toBe('true');
    });

    it.each(['binary', '8bit', '7bit', 'Binary '])('what is sent as %j is as it is', async (encoding) => {
      const { body } = await raw(part(`${DISPOSITION}; filename="${newName()}"\r\nContent-Transfer-Encoding: ${encoding}`) + END).expect(201);
      expect((body as FileBody[])[0]?._fileVersion).toMatchObject({ _fileSize: 1 });
    });

    it('no bytes are a file; a path is its last name; what follows the end is passed over', async () => {
      const { body } = await raw(`${named('empty', '')}${named('../../etc/passwd')}${END}garbage`).expect(201);
      expect((body as FileBody[]).map(({ _name, _fileVersion }) => [_name, (_fileVersion as { _fileSize?: number })._fileSize])).toEqual([['empty', 0], ['passwd', 1]]);
    });

    it('hundreds of files come and go at once, whoever else deletes them', async () => {
      const { body } = await raw(Array.from({ length: 120 }, (_, index) => named(`many ${index}`)).join('') + END, { _parents: folder._id }).expect(201);
      const ids = (body as FileBody[]).map(({ _id }) => _id);
      expect(new Set(ids).size).toBe(120);
      const answers = await Promise.all([0, 30, 60, 90, 15, 45].map((from) => filesvc.as('owner', 'delete', FILES).send(ids.slice(from, from + 60).reverse())));
      expect(answers.map(({ status }) => status)).toEqual([204, 204, 204, 204, 204, 204]);
      expect((await filesvc.list({ _parents: folder._id, _name: '^many', _pageSize: 0 }))._total).toBe(0);
    });

    it('lines that break at any place leave nothing, neither records nor bytes', async () => {
      const { _total } = await filesvc.list({ _pageSize: 0 });
      const ended = endedPuts(filesvc.objects());
      const message = `${named('cut 1', 'a'.repeat(70_000))}${named('cut 2', 'b'.repeat(70_000))}${END}`;
      await Promise.all([1, 60, 200, 65_000, 70_140, 70_300, 100_000, message.length - 4].map((length) => cutOff(filesvc, message.slice(0, length), message.length)));
      // Five of them have sent more of the first part than is held back as small.
      await eventually(() => expect(ended()).toBeGreaterThanOrEqual(5));
      await eventually(() => holdsNothingBut(_total));
    });
  });
});

/** How many puts have ended since, well or not. */
function endedPuts(store: ObjectStore): () => number {
  let ended = 0;
  const put = store.put.bind(store);
  store.put = (...given) => put(...given).finally(() => { ended += 1; });
  return () => ended;
}

/** Sends the beginning of a message, until the service has read it, and breaks the line. */
async function cutOff(filesvc: FilesvcUnderTest, beginning: string, length: number): Promise<void> {
  const sending = httpRequest(`${filesvc.url}${FILES}?nsfilter=${NS}&_namespaces=${NS}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${filesvc.tokenOf('owner')}`, 'content-type': `multipart/form-data; boundary=${BOUNDARY}`, 'content-length': length },
  });
  const closed = new Promise((resolve) => sending.on('error', () => undefined).once('close', resolve));
  await new Promise((resolve) => sending.write(beginning, resolve));
  sending.destroy();
  await closed;
}
