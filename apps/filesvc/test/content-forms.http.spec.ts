import { randomBytes } from 'node:crypto';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { LOGGER, type Logger } from '@twinyard/service-kit';
import { eventually } from '@twinyard/testing';
import { FILES, type FileBody, FilesvcUnderTest, NS } from './filesvc-under-test';

const JSON_TEXT = JSON.stringify({ walls: Array.from({ length: 2_000 }, (_, number) => `wall ${number}`) });
const PACKED = gzipSync(JSON_TEXT);

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes that somebody holds; when what nobody holds is collected is not said. What the first collection finds is counted out by the next. */
function buffersInUse(): number {
  for (let times = 0; times < 2; times += 1) collectGarbage();
  return process.memoryUsage().arrayBuffers;
}

describe('downloads, as stored and decoded', () => {
  let filesvc: FilesvcUnderTest;
  let address: string;
  let packed: string;
  beforeAll(async () => {
    filesvc = await FilesvcUnderTest.start();
    address = await filesvc.address(await uploaded('plain.bin', randomBytes(300_000)));
    packed = await filesvc.address(await uploaded('a.json', PACKED, { 'content-encoding': 'gzip' }, 'application/json'));
  });
  afterAll(() => filesvc?.stop());

  const uploaded = async (name: string, content: Buffer | string, headers: Record<string, string> = {}, contentType = 'application/octet-stream') => {
    const sent = filesvc.as('owner', 'post', FILES, { _namespaces: NS }).set(headers).attach('file', Buffer.from(content), { filename: name, contentType });
    return ((await sent.expect(201)).body as FileBody[])[0] as FileBody;
  };
  /** As it comes, undecoded: clients of a higher level say by themselves what they take. */
  const opened = (at: string, headers: Record<string, string> = {}, method = 'GET') =>
    new Promise<IncomingMessage>((resolve, reject) => httpGet(filesvc.url + at, { headers, method }, resolve).once('error', reject));
  const raw = async (at: string, headers: Record<string, string> = {}, method = 'GET') => {
    const answer = await opened(at, headers, method);
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(chunk as Buffer);
    return { status: answer.statusCode, headers: answer.headers, body: Buffer.concat(chunks) };
  };

  it.each(['gzip', ''])('answers HEAD with the headers of a GET and no body, as stored and decoded (Accept-Encoding: %j)', async (accepted) => {
    for (const at of [address, packed]) {
      const [head, whole] = await Promise.all([raw(at, { 'accept-encoding': accepted }, 'HEAD'), raw(at, { 'accept-encoding': accepted })]);
      const { date: _one, 'x-request-id': _other, 'cache-control': _third, ...headers } = whole.headers;
      expect({ ...head.headers, 'transfer-encoding': headers['transfer-encoding'] }).toMatchObject(headers);
      expect([head.status, head.body.length]).toEqual([200, 0]);
    }
  });

  it('serves the stored type, and the bytes as stored to whoever takes their encoding or does not say', async () => {
    for (const headers of [{ 'accept-encoding': 'gzip' }, { 'accept-encoding': 'br, *;q=0.1' }, {}] as Record<string, string>[]) {
      const answer = await raw(packed, headers);
      expect(answer.headers).toMatchObject({ 'content-encoding': 'gzip', 'content-type': 'application/json', 'content-length': String(PACKED.length), vary: 'Accept-Encoding', 'accept-ranges': 'bytes' });
      expect(answer.body.equals(PACKED)).toBe(true);
    }
    expect(await (await fetch(filesvc.url + packed)).text()).toBe(JSON_TEXT);
  });

  it('decodes for others, under a tag of its own and without ranges', async () => {
    const stored = await raw(packed, { 'accept-encoding': 'gzip' });
    const answer = await raw(packed, { 'accept-encoding': 'identity', range: 'bytes=0-1' });
    expect([answer.status, answer.body.toString()]).toEqual([200, JSON_TEXT]);
    for (const absent of ['content-encoding', 'content-length', 'content-range']) expect(answer.headers).not.toHaveProperty(absent);
    expect(answer.headers).toMatchObject({ vary: 'Accept-Encoding', 'accept-ranges': 'none', 'content-type': 'application/json' });
    expect(answer.headers.etag).not.toBe(stored.headers.etag);
    const conditional = (accepted: string) => raw(packed, { 'accept-encoding': accepted, 'if-none-match': String(answer.headers.etag) });
    expect([(await conditional('')).status, (await conditional('gzip')).status]).toEqual([304, 200]);
    expect((await conditional('')).headers).toMatchObject({ etag: answer.headers.etag, vary: 'Accept-Encoding' });
  });

  it('gives ranges of the bytes as stored, one at a time: a body of several has no encoding of its own', async () => {
    const one = await raw(packed, { 'accept-encoding': 'gzip', range: 'bytes=2-5' });
    expect([one.status, one.headers['content-encoding'], one.body.equals(PACKED.subarray(2, 6))]).toEqual([206, 'gzip', true]);
    expect((await raw(packed, { 'accept-encoding': 'gzip', range: 'bytes=0-1,5-6' })).status).toBe(200);
  });

  it('decodes brotli for a client that knows gzip alone; Node 20 itself is such a client', async () => {
    const at = await filesvc.address(await uploaded('b.json', brotliCompressSync(JSON_TEXT), { 'content-encoding': 'br' }, 'application/json'));
    expect((await raw(at, { 'accept-encoding': 'gzip' })).body.toString()).toBe(JSON_TEXT);
    expect(await (await fetch(filesvc.url + at)).json()).toEqual(JSON.parse(JSON_TEXT));
  });

  it('says so (422) when what is to be decoded is nothing of the kind; as stored it can be had', async () => {
    const at = await filesvc.address(await uploaded('fake.json', 'no gzip at all', { 'content-encoding': 'gzip' }, 'application/json'));
    const answer = await raw(at, { 'accept-encoding': '' });
    expect([answer.status, JSON.parse(answer.body.toString())]).toEqual([422, expect.objectContaining({ code: 'unprocessable' })]);
    expect((await raw(at, { 'accept-encoding': 'gzip' })).body.toString()).toBe('no gzip at all');
  });

  it('breaks off where an encoding is cut off, and stays up', async () => {
    const whole = gzipSync(randomBytes(3_000_000));
    const at = await filesvc.address(await uploaded('cut.bin', whole.subarray(0, 2_000_000), { 'content-encoding': 'gzip' }));
    await expect(raw(at, { 'accept-encoding': '' })).rejects.toThrow(/aborted|ECONNRESET/);
    await raw(address);
  });

  it('undoes a bomb at the pace of its reader, in the memory of a few chunks', async () => {
    const bomb = await filesvc.address(await uploaded('bomb.bin', gzipSync(Buffer.alloc(100_000_000)), { 'content-encoding': 'gzip' }));
    const before = buffersInUse();
    const answer = await opened(bomb, { 'accept-encoding': '' });
    let received = 0;
    let looks = 0;
    let most = 0;
    for await (const chunk of answer) {
      received += (chunk as Buffer).length;
      if (received < looks * 40_000_000) continue;
      looks += 1;
      most = Math.max(most, buffersInUse());
    }
    expect([received, looks]).toEqual([100_000_000, 3]);
    expect(most - before).toBeLessThan(20_000_000);
  });

  it.each([
    ['the whole', {}], ['a range', { range: 'bytes=10-' }], ['several ranges', { range: 'bytes=0-20000000,30000000-' }], ['what is decoded', { 'accept-encoding': '' }],
  ])('closes what it has open in the store when the reader of %s goes away', async (_what, headers) => {
    const large = await filesvc.address(await uploaded('large.bin', gzipSync(randomBytes(40_000_000), { level: 0 }), { ...('accept-encoding' in headers && { 'content-encoding': 'gzip' }) }));
    const streams: Readable[] = [];
    const store = filesvc.objects();
    const get = store.get.bind(store);
    const spy = jest.spyOn(store, 'get').mockImplementation(async (...asked) => {
      const stream = await get(...asked);
      streams.push(stream);
      return stream;
    });
    for (const bytes of [0, 100_000]) {
      const answer = await opened(large, headers as Record<string, string>);
      if (bytes > 0) answer.read(bytes);
      answer.destroy();
    }
    await eventually(() => expect(streams.map(({ closed }) => closed)).toEqual([true, true]));
    spy.mockRestore();
  });

  it('says before any header that the bytes are not in the store, or are fewer than they were; the log says which', async () => {
    const errors = jest.spyOn(filesvc.app.get<Logger>(LOGGER), 'error').mockImplementation(() => undefined);
    for (const damage of ['missing', 'shorter']) {
      const file = await uploaded(`${damage}.txt`, 'some bytes', {}, 'text/plain');
      const [{ blob_key: key } = { blob_key: '' }] = await filesvc.query<{ blob_key: string }>('SELECT blob_key FROM file_version WHERE file_id = $1', [file._id]);
      if (damage === 'missing') await filesvc.objects().delete(key);
      else await filesvc.objects().put(key, Readable.from([Buffer.from('some')]));
      const at = await filesvc.address(file);
      const answer = await raw(at);
      expect([damage, answer.status, JSON.parse(answer.body.toString())]).toEqual([damage, 500, expect.objectContaining({ message: 'The content cannot be read' })]);
      for (const absent of ['etag', 'content-encoding', 'content-disposition']) expect(answer.headers).not.toHaveProperty(absent);
      expect([damage, JSON.stringify(errors.mock.calls.map(([fields]) => String((fields as { err?: Error }).err)))]).toEqual([damage, expect.stringMatching(damage === 'missing' ? key : '6 bytes less')]);
      await filesvc.as('owner', 'delete', `${FILES}/${file._id}`).expect(204);
      expect((await raw(at)).status).toBe(404);
    }
    errors.mockRestore();
  });
});
