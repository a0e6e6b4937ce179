import { createHash } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { eventually } from '@twinyard/testing';
import type { AnswerFileBounds } from '../src/components/rest-connector/file-answer/answer-file-bounds';
import { restConnector } from '../src/components/rest-connector/rest-connector.component';
import { ComponentStep, WorkerDied } from './component-step';
import { PlatformStandIn } from './consumer-contract/platform-stand-in';
import { Endpoint } from './endpoint';
import { restRules } from './rest-step';
import { NS } from './running-service';

const [UPLOAD, MB, NAME] = ['upload a file', 1024 ** 2, 'a.bin'];

/** What is counted, once it has stood still for half a second. */
async function whenStill(count: () => number): Promise<number> {
  for (let [last, looks] = [0, 0]; ; last = count()) {
    await delay(50);
    looks = last > 0 && count() === last ? looks + 1 : 0;
    if (looks === 10) return last;
  }
}

describe('rest_connector with _toFile', () => {
  let endpoint: Endpoint;
  let platform: PlatformStandIn;

  beforeAll(async () => {
    [endpoint, platform] = await Promise.all([Endpoint.start(), PlatformStandIn.start()]);
  });
  beforeEach(() => {
    endpoint.reset();
    platform.files.all.clear();
    platform.calls.length = 0;
    [platform.disturb, platform.arriving] = [() => undefined, () => undefined];
  });
  afterEach(() => expect(platform.violations).toEqual([]));
  afterAll(async () => {
    await endpoint?.stop();
    await platform?.stop();
  });

  const step = (params: object = {}, bounds: Partial<AnswerFileBounds> = {}, stepId = 'the-step') =>
    new ComponentStep(restConnector(restRules({ files: { ...restRules().files, ...bounds } })), { url: endpoint.url, _toFile: { name: NAME }, ...params }, platform.url, stepId);
  const messageOf = (one: ComponentStep) => one.run().then(() => 'done', (error: Error) => error.message);
  const fileOf = (name = NAME) => [...platform.files.all.values()].find((file) => file.name === name);
  const versionsOf = (name = NAME) => fileOf(name)?.versions.size;
  const bytes = (body: string | Buffer, headers: Readonly<Record<string, string>> = {}, status = 200): RequestListener => (_, response) => void response.writeHead(status, headers).end(body);
  const unending: RequestListener = (_, response) => {
    const part = Buffer.alloc(64 * 1024, 'a');
    const write = () => void (response.destroyed || (response.write(part) ? setImmediate(write) : response.once('drain', write)));
    write();
  };
  const stuck: RequestListener = (_, response) => void response.writeHead(200).write('abc');
  /** Messages to filesvc, from the first of their bytes on. */
  const uploads = (during: (upload: IncomingMessage) => unknown = () => undefined): IncomingMessage[] => {
    const all: IncomingMessage[] = [];
    platform.arriving = (request) => {
      if (request.method !== 'POST') return undefined;
      all.push(request);
      return during(request);
    };
    return all;
  };

  describe('writes', () => {
    it('a large body whole, and holds none of it: the other side waits while filesvc takes nothing', async () => {
      const [size, hash] = [64 * MB, createHash('sha256')];
      let given = 0;
      function* parts() {
        for (let n = 0; given < size; n += 1) {
          const part = Buffer.alloc(64 * 1024, n % 251);
          hash.update(part);
          given += part.length;
          yield part;
        }
      }
      endpoint.answer = (_, response) => void pipeline(Readable.from(parts()), response.writeHead(200, { 'content-length': size, 'content-type': 'video/mp4' }), () => undefined);
      let givenMeanwhile = size;
      uploads(async () => {
        givenMeanwhile = await whenStill(() => given);
      });
      const one = step();
      const result = await one.run();
      const [id, file] = [...platform.files.all][0] ?? [];
      expect(result).toEqual({
        status: 200, headers: expect.objectContaining({ 'content-type': 'video/mp4' }), file: { _fileId: id, _fileVersionId: [...(file?.versions.keys() ?? [])][0], _version: 1, _size: size },
      });
      // What lies on the two lines is all that it got rid of.
      expect(givenMeanwhile).toBeLessThan(48 * MB);
      expect(createHash('sha256').update(platform.files.bytesOf(NAME) ?? '').digest('hex')).toBe(hash.digest('hex'));
      expect(file).toMatchObject({ contentType: 'video/mp4', namespaces: [NS], parent: 'root' });
      expect(one.log).toEqual([`info: GET ${endpoint.url}/ answered 200, wrote ${size} bytes to ${NAME}`]);
    });

    it.each([
      ['JSON, which is not read', '{"a":  1.0, "id": 12345678901234567890}\r\n', { 'content-type': 'application/json' }], ['what no result can hold', Buffer.from([0xff, 0xfe, 0x00]), {}],
      ['what is said to be JSON and is not', '{"a": ', { 'content-type': 'application/json' }], ['nothing', '', { 'content-type': 'text/plain' }],
    ])('byte for byte: %s', async (_, body, headers) => {
      endpoint.answer = bytes(body, headers as Record<string, string>);
      expect(await step().run()).toMatchObject({ status: 200, file: { _version: 1, _size: Buffer.byteLength(body) } });
      expect(platform.files.bytesOf(NAME)).toEqual(Buffer.from(body));
      expect(fileOf()?.contentType).toBe((headers as { 'content-type'?: string })['content-type'] ?? '');
    });

    it('what comes packed unpacked, and what comes in chunks', async () => {
      const text = 'für 1 € '.repeat(10_000);
      for (const [encoding, packed] of [['gzip', gzipSync(text)], ['br', brotliCompressSync(text)]] as const) {
        endpoint.answer = bytes(packed, { 'content-encoding': encoding });
        expect(await step({ _toFile: { name: encoding } }).run()).toMatchObject({ file: { _size: Buffer.byteLength(text) } });
        expect(platform.files.bytesOf(encoding)?.toString()).toBe(text);
      }
      endpoint.answer = (_, response) => {
        response.write('one ');
        setImmediate(() => response.end('two'));
      };
      expect(await step().run()).toMatchObject({ headers: { 'transfer-encoding': 'chunked' }, file: { _size: 7 } });
      expect(platform.files.bytesOf(NAME)?.toString()).toBe('one two');
    });

    it('to the file and folder that its templates name, as a new version where there is one', async () => {
      platform.files.addFolder('reports', [NS, 'other_a1B2c3D4']);
      for (const [expected, stepId] of [[1, 'first'], [2, 'second']] as const) {
        const one = step({ _toFile: { name: '{{inparams.day}} of {{actualParams.who}}.json', _parentId: '{{inparams.folder}}', _tags: ['report', '{{inparams.day}}'] }, who: 'us' }, {}, stepId);
        one.inparams = { day: 7, folder: 'reports' };
        expect(await one.run()).toMatchObject({ file: { _version: expected, _size: 11 } });
      }
      expect(fileOf('7 of us.json')).toMatchObject({ parent: 'reports', namespaces: [NS], tags: ['report', '7'] });
    });

    it('what is behind a redirect, and after a wait that was asked for', async () => {
      endpoint.inTurn(
        bytes('', { location: '/there' }, 307), bytes('busy', { 'retry-after': '0' }, 429), bytes('it'));
      expect(await step().run()).toMatchObject({ status: 200, file: { _size: 2 } });
      expect(endpoint.received.map(({ url }) => url)).toEqual(['/', '/there', '/there']);
    });

    it('what is expected, and no file of an answer that has no content', async () => {
      endpoint.answer = bytes('none', {}, 404);
      expect(await step({ _expect: [200, 404] }).run()).toMatchObject({ status: 404, file: { _size: 4 } });
      for (const status of [204, 304]) {
        endpoint.answer = bytes('', { etag: '"1"' }, status);
        const one = step({ _expect: [200, 204, 304], _toFile: { name: 'b' } });
        expect(await one.run()).toEqual({ status, headers: expect.objectContaining({ etag: '"1"' }), file: null });
        expect(one.log).toEqual([`info: GET ${endpoint.url}/ answered ${status}, which has no content: wrote no file`]);
      }
      expect([versionsOf('b'), platform.count(UPLOAD)]).toEqual([undefined, 1]);
    });
  });

  describe('writes nothing', () => {
    const short: RequestListener = (_, response) => void response.writeHead(200, { 'content-length': '100' }).write('abc', () => response.destroy());
    const shortAndClosed = (_: IncomingMessage, { socket }: ServerResponse) => void socket?.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\nconnection: close\r\n\r\nabc');
    const half = (whole: Buffer) => whole.subarray(0, whole.length - 4);

    it.each([
      ['breaks off', short, 'broke off'], ['is shorter than it says', shortAndClosed, 'broke off'], ['breaks off in chunks', ((_, response) => void response.write('abc', () => response.destroy())) as RequestListener, 'broke off'],
      ['is packed and not whole', bytes(half(gzipSync('x'.repeat(1_000))), { 'content-encoding': 'gzip' }), 'broke off'], ['is not packed', bytes('not packed', { 'content-encoding': 'gzip' }), 'broke off'],
      ['is packed in another way', bytes('x', { 'content-encoding': 'zstd' }), 'has an encoding that was not asked for'],
    ])('of an answer that %s', async (_, answer, message) => {
      endpoint.answer = answer;
      await expect(step().run()).rejects.toMatchObject({ name: 'EndpointError', message: `The answer of ${endpoint.host} ${message}` });
      expect(versionsOf()).toBeUndefined();
    });

    it('of a status that is not expected', async () => {
      endpoint.answer = endpoint.json({ message: 'no such report' }, 404);
      await expect(step().run()).rejects.toMatchObject({ name: 'EndpointError', status: 404, message: `${endpoint.host} answered 404: {"message":"no such report"}` });
      endpoint.answer = endpoint.json({}, 503);
      await expect(step().run()).rejects.toMatchObject({ status: 503 });
      expect(platform.count(UPLOAD)).toBe(0);
    });

    it('of more than a file may have: announced, unending, or packed', async () => {
      const message = `The answer of ${endpoint.host} has more than the 1 MB that a file of it may have (REST_CONNECTOR_FILE_MB)`;
      const bounds = { mostBytes: MB };
      const arrived = uploads();
      endpoint.answer = bytes(Buffer.alloc(MB + 1), { 'content-length': String(MB + 1) });
      await expect(step({}, bounds).run()).rejects.toMatchObject({ status: 400, message });
      expect(arrived).toEqual([]);
      endpoint.answer = bytes(gzipSync(Buffer.alloc(50 * MB)), { 'content-encoding': 'gzip' });
      await expect(step({}, bounds).run()).rejects.toMatchObject({ status: 400, message });
      endpoint.answer = unending;
      expect(await messageOf(step({}, bounds))).toBe(message);
      await eventually(() => expect(endpoint.cut).toBeGreaterThan(0));
      await eventually(() => expect(arrived.map(({ destroyed }) => destroyed)).toEqual([true, true]));
      expect(versionsOf()).toBeUndefined();
      endpoint.answer = bytes(gzipSync(Buffer.alloc(MB)), { 'content-encoding': 'gzip' });
      expect(await step({}, bounds).run()).toMatchObject({ file: { _size: MB } });
    });

    it('of a sender that stops, or drips', async () => {
      const drip: RequestListener = (_, response) => {
        const timer = setInterval(() => void response.write('a'), 10);
        response.on('close', () => clearInterval(timer));
      };
      for (const [answer, leastBytesPerSecond] of [[stuck, 1], [drip, 100_000]] as const) {
        endpoint.reset();
        endpoint.answer = answer;
        expect(await messageOf(step({}, { pace: { silenceMs: 300, leastBytesPerSecond } }))).toBe(`The answer of ${endpoint.host} came too slowly`);
        await eventually(() => expect(endpoint.cut).toBeGreaterThan(0));
      }
      expect(versionsOf()).toBeUndefined();
    });

    it('when it is cancelled in the middle, and cuts both lines', async () => {
      endpoint.answer = stuck;
      const ending = new AbortController();
      const arrived = uploads(() => ending.abort(new Error('cancelled')));
      await expect(step().run(ending.signal)).rejects.toThrow('cancelled');
      await eventually(() => expect([endpoint.cut > 0, arrived.map(({ destroyed }) => destroyed)]).toEqual([true, [true]]));
      expect(versionsOf()).toBeUndefined();
    });

    it('when its time is over, and cuts both lines, also while filesvc takes nothing', async () => {
      endpoint.answer = unending;
      let goOn = () => {};
      const arrived = uploads(() => new Promise<void>((resolve) => (goOn = resolve)));
      await expect(step({ _timeout: '* * 1' }).run()).rejects.toMatchObject({ name: 'StepLate' });
      await eventually(() => expect(endpoint.cut).toBeGreaterThan(0));
      // Who reads nothing does not hear that a line is cut.
      goOn();
      await eventually(() => expect(arrived.map(({ destroyed }) => destroyed)).toEqual([true]));
      expect(versionsOf()).toBeUndefined();
    });

    it('where filesvc refuses it, and says why', async () => {
      platform.disturb = ({ name }) => (name === UPLOAD ? { status: 403, body: { message: 'Needs CREATE' } } : undefined);
      await expect(step().run()).rejects.toMatchObject({ name: 'PlatformError', status: 403, message: 'filesvc: Needs CREATE' });
      expect(endpoint.received).toHaveLength(1);
    });

    it('and calls nobody where its parameters are wrong', async () => {
      const wrong: readonly (readonly [object, string])[] = [
        [{ _toFile: {} }, '_toFile.name: is required'], [{ _toFile: { name: '' } }, '_toFile.name: must not be empty'], [{ _toFile: 'a' }, '_toFile: must be an object'],
        [{ _toFile: { name: '{{inparams.x}}' } }, '_toFile.name: there is no inparams.x'], [{ _toFile: { name: '{{actualParams.blank}}' }, blank: ' ' }, '_toFile.name: must not be empty'],
        [{ _toFile: { name: 'ä'.repeat(128) } }, '_toFile.name: must not be longer than 255 bytes'],
        [{ _toFile: { name: '{{secret:key}}' } }, '_toFile.name: a secret may stand in values of headers and in the body alone'],
        [{ _paginate: { next: 'link', max: 2 } }, '_toFile: is not for pages: leave out _paginate'], [{ method: 'HEAD' }, '_toFile: is not for HEAD, whose answers have no body'],
      ];
      for (const [params, message] of wrong) await expect(step(params).run()).rejects.toMatchObject({ name: 'ServiceError', status: 400, message });
      platform.addFile('file', 'v', 'no folder', Buffer.from(''));
      await expect(step({ _toFile: { name: NAME, _parentId: 'file' } }).run()).rejects.toThrow('no folder is no folder');
      expect([endpoint.received, platform.count(UPLOAD)]).toEqual([[], 0]);
    });
  });

  describe('makes one version', () => {
    it.each([
      ['before it was sent', 'before', 1], ['before it was known to be sent whole', 'sent', 2], ['before it was known to be made', 'made', 1],
    ] as const)('when its worker died: %s', async (_, key, asked) => {
      const one = step();
      one.diesAt = (progress) => key in (progress as object);
      await expect(one.run()).rejects.toBeInstanceOf(WorkerDied);
      one.diesAt = () => false;
      for (let time = 0; time < 2; time += 1) expect(await one.run()).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' }, file: { _version: 1, _size: 11 } });
      expect([versionsOf(), endpoint.received.length]).toEqual([1, asked]);
    });

    it('when the answer of filesvc is lost', async () => {
      platform.disturb = ({ name, nth }) => (name === UPLOAD && nth === 1 ? 'lose the answer' : undefined);
      expect(await step({ method: 'POST' }).run()).toMatchObject({ status: 200, file: { _version: 1 } });
      expect([versionsOf(), platform.count(UPLOAD), endpoint.received.length]).toEqual([1, 1, 1]);
    });

    it('when filesvc takes nothing at first, and sends no POST a second time', async () => {
      const busy = { status: 503, body: { message: 'busy' } };
      platform.disturb = ({ name, nth }) => (name === UPLOAD && nth === 1 ? busy : undefined);
      expect(await step().run()).toMatchObject({ file: { _version: 1 } });
      expect([versionsOf(), endpoint.received.length]).toEqual([1, 2]);
      platform.disturb = ({ name }) => (name === UPLOAD ? busy : undefined);
      endpoint.reset();
      expect(await messageOf(step({ method: 'POST' }, {}, 'another'))).toBe(`filesvc did not take the answer of ${endpoint.host}, and a POST is not sent twice`);
      expect([versionsOf(), endpoint.received.length]).toEqual([1, 1]);
    });

    it('of its own, where an earlier one has the same bytes', async () => {
      await step().run();
      expect(await step({}, {}, 'another').run()).toMatchObject({ file: { _version: 2 } });
    });
  });
});
