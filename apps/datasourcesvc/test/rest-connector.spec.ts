import dns from 'node:dns';
import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { eventually } from '@twinyard/testing';
import { Endpoint } from './endpoint';
import { RestStep, type RestStepOptions } from './rest-step';

const MB = 1024 ** 2;

describe('rest_connector', () => {
  let endpoint: Endpoint;
  let other: Endpoint;

  beforeAll(async () => {
    [endpoint, other] = await Promise.all([Endpoint.start(), Endpoint.start()]);
  });
  beforeEach(() => [endpoint, other].forEach((one) => one.reset()));
  afterEach(() => jest.restoreAllMocks());
  afterAll(async () => {
    await endpoint?.stop();
    await other?.stop();
  });

  const run = (params: object, options: RestStepOptions = {}) => new RestStep({ url: endpoint.url, ...params }, options).run();
  const messageOf = (params: object, options: RestStepOptions = {}) => run(params, options).then(() => 'done', (error: Error) => error.message);
  const text = (body: string | Buffer, headers: Readonly<Record<string, string>> = { 'content-type': 'text/plain' }): RequestListener => (_, response) => void response.writeHead(200, headers).end(body);
  const redirect = (location: string, status = 302): RequestListener => (_, response) => void response.writeHead(status, { location }).end();

  describe('sends', () => {
    it('what its parameters say, filled with what came before', async () => {
      const params = {
        url: `${endpoint.url}/rooms/{{inparams.room}}?a=1#here`, method: 'post', query: { b: ['{{inparams.n}}', true], c: null }, headers: { 'X-Name': 'of {{actualParams.who}}' },
        body: { n: '{{inparams.n}}', text: 'n={{inparams.n}}' }, who: 'a step',
      };
      expect(await run(params, { inparams: { room: 'a b/c', n: 5 } })).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' }, body: { ok: true } });
      expect(endpoint.received).toMatchObject([{
        method: 'POST', url: '/rooms/a%20b%2Fc?a=1&b=5&b=true', body: '{"n":5,"text":"n=5"}',
        headers: { 'x-name': 'of a step', 'content-type': 'application/json', 'idempotency-key': 'the-step', 'user-agent': 'Twinyard' },
      }]);
    });

    it('a text as it is, with the type that the caller names', async () => {
      await run({ method: 'PUT', body: '<a/>', headers: { 'content-type': 'application/xml' } });
      await run({ method: 'PUT', body: 'plain' });
      expect(endpoint.received.map(({ body, headers }) => [body, headers['content-type']])).toEqual([['<a/>', 'application/xml'], ['plain', 'text/plain; charset=utf-8']]);
    });

    it('nothing where a parameter is wrong, which is for good', async () => {
      const wrong: readonly (readonly [object, string])[] = [
        [{ url: 'ftp://127.0.0.1' }, 'url: must be an address of http or https'], [{ url: `http://user:pw@${endpoint.host}` }, 'url: must not hold a user or a password: a header is for them'],
        [{ url: '' }, 'url: is required'], [{ method: 'TRACE' }, 'method: must be one of GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'], [{ body: 1 }, 'body: GET has none'],
        [{ headers: { 'a b': 'x' } }, 'headers.a b: is no name of a header'], [{ headers: { a: 'x\r\ny: z' } }, 'headers.a: holds a character that no header may have'],
        [{ headers: { Host: 'x' } }, 'headers.Host: is not for the caller to say'], [{ headers: { a: '1', A: '2' } }, 'headers: name one twice'], [{ headers: { a: {} } }, 'headers.a: must be a text, a number, true or false'],
        [{ query: [] }, 'query: must be an object'], [{ _timeout: '2 0 0' }, '_timeout: must have the form "<hours> <minutes> <seconds>", where * is 0, from a second to an hour'],
        [{ _expect: [20] }, '_expect.0: must be a status, from 200 to 599'], [{ _paginate: { next: 'link' } }, '_paginate.max: must be a whole number from 1 to 1000'],
        [{ _paginate: { next: 'link', max: 1 }, method: 'POST' }, '_paginate: is for GET alone'], [{ url: `${endpoint.url}/{{inparams.x}}` }, 'url: there is no inparams.x'],
      ];
      for (const [params, message] of wrong) await expect(run(params)).rejects.toMatchObject({ name: 'ServiceError', status: 400, message });
      expect(endpoint.received).toEqual([]);
    });
  });

  describe('takes', () => {
    it('JSON as a value, and anything else as a text', async () => {
      endpoint.answer = text('[1, {"a": null}]', { 'content-type': 'application/problem+json; charset=utf-8' });
      expect((await run({})).body).toEqual([1, { a: null }]);
      endpoint.answer = text('[1]');
      expect((await run({})).body).toBe('[1]');
      endpoint.answer = text(Buffer.from('für 1 \x80', 'latin1'), { 'content-type': 'text/plain; charset=windows-1252' });
      expect((await run({})).body).toBe('für 1 €');
      endpoint.answer = (_, response) => void response.writeHead(204).end();
      expect(await run({})).toMatchObject({ status: 204, body: null });
      expect((await run({ method: 'HEAD' })).body).toBeNull();
    });

    it('what is said to be JSON and is not as a text, and says so; and numbers that cannot be kept', async () => {
      endpoint.answer = text('{"a": ', { 'content-type': 'application/json' });
      const broken = new RestStep({ url: endpoint.url });
      expect((await broken.run()).body).toBe('{"a": ');
      expect(broken.log).toContainEqual(`warn: The answer of ${endpoint.host} is said to be JSON and is not: it is taken as a text`);
      endpoint.answer = text('{"id": 12345678901234567890}', { 'content-type': 'application/json' });
      const inexact = new RestStep({ url: endpoint.url });
      await inexact.run();
      expect(inexact.log[0]).toMatch(/^warn: .*cannot be kept as it is, 12345678901234567890 at \.?id$/);
    });

    it.each([
      ['no text', Buffer.from([0xff, 0xfe, 0x00]), 'is no text in utf-8'], ['NUL', 'a\0b', 'holds a NUL character or half a surrogate pair'],
      ['half a surrogate pair', '{"a":["\\ud800"]}', 'holds a NUL character or half a surrogate pair'], ['depth', `${'['.repeat(102)}${']'.repeat(102)}`, 'is nested more than 100 levels deep'],
    ])('nothing that no store keeps: %s', async (_, body, message) => {
      endpoint.answer = text(body, {});
      await expect(run({})).rejects.toMatchObject({ status: 400, message: `The answer of ${endpoint.host} ${message}` });
    });

    it('10 MB, packed or not, and not more', async () => {
      const message = `The answers of ${endpoint.host} have more than the 10 MB that are taken`;
      endpoint.answer = text(gzipSync(Buffer.alloc(9 * MB, 'a')), { 'content-type': 'text/plain', 'content-encoding': 'gzip' });
      expect(String((await run({})).body).length).toBe(9 * MB);
      endpoint.answer = text(gzipSync(Buffer.alloc(50 * MB)), { 'content-encoding': 'gzip' });
      await expect(run({})).rejects.toMatchObject({ status: 400, message });
      endpoint.answer = (_, response) => {
        const chunk = Buffer.alloc(64 * 1024, 'a');
        const write = () => void (response.destroyed || (response.write(chunk) ? setImmediate(write) : response.once('drain', write)));
        write();
      };
      expect(await messageOf({})).toBe(message);
      await eventually(() => expect(endpoint.cut).toBeGreaterThan(0));
    });

    it('no answer that breaks off, or is not what it says', async () => {
      endpoint.answer = (_, response) => void response.writeHead(200, { 'content-length': '100' }).write('abc', () => response.destroy());
      expect(await messageOf({})).toBe(`The answer of ${endpoint.host} broke off`);
      endpoint.answer = text('not packed', { 'content-encoding': 'gzip' });
      expect(await messageOf({})).toBe(`The answer of ${endpoint.host} broke off`);
      endpoint.answer = text('x', { 'content-encoding': 'zstd' });
      expect(await messageOf({})).toBe(`The answer of ${endpoint.host} has an encoding that was not asked for`);
      endpoint.answer = (_, response) => void response.destroy();
      expect(await messageOf({})).toMatch(new RegExp(`^${endpoint.host} cannot be reached`));
    });

    it('statuses that are expected; of others it says what was answered, and whether it is for good', async () => {
      endpoint.answer = endpoint.json({ message: 'no such room' }, 404);
      await expect(run({})).rejects.toMatchObject({ name: 'EndpointError', status: 404, message: `${endpoint.host} answered 404: {"message":"no such room"}` });
      expect(await run({ _expect: [200, 404] })).toMatchObject({ status: 404, body: { message: 'no such room' } });
      endpoint.answer = endpoint.json({}, 200);
      await expect(run({ _expect: [404] })).rejects.toMatchObject({ status: 200 });
      endpoint.answer = redirect('/there');
      expect(await run({ _expect: [302] })).toMatchObject({ status: 302, headers: { location: '/there' } });
    });
  });

  describe('calls the hosts of the setting', () => {
    it('and no other, for good', async () => {
      await expect(run({}, { hosts: '' })).rejects.toMatchObject({ status: 403, message: 'No host may be called: REST_CONNECTOR_HOSTS names none' });
      await expect(run({}, { hosts: '*.example.com' })).rejects.toMatchObject({ status: 403, message: `The url names the host ${endpoint.host}, which is none of REST_CONNECTOR_HOSTS` });
      expect(endpoint.received).toEqual([]);
    });

    it('none at a private address, by number or by name, whatever the setting says of the name', async () => {
      for (const host of ['127.0.0.1', 'localhost', '2130706433', '[::ffff:127.0.0.1]']) {
        const url = endpoint.url.replace('127.0.0.1', host);
        await expect(run({ url }, { hosts: '*, [::ffff:7f00:1]', allowPrivate: false })).rejects.toMatchObject({ status: 403, message: expect.stringContaining('it is at a private address') });
      }
      expect(endpoint.received).toEqual([]);
    });

    it('none whose name leads to a private address beside a public one', async () => {
      const found = [{ address: '8.8.8.8', family: 4 }, { address: '127.0.0.1', family: 4 }];
      const lookup = jest.spyOn(dns, 'lookup').mockImplementation(((_host: string, _options: object, done: (error: null, found: object) => void) => done(null, found)) as never);
      const url = endpoint.url.replace('127.0.0.1', 'rebound.example');
      await expect(run({ url }, { hosts: '*', allowPrivate: false })).rejects.toMatchObject({ status: 403, message: expect.stringContaining('it is at a private address') });
      expect(lookup).toHaveBeenCalled();
    });

    it('also behind a redirect', async () => {
      endpoint.inTurn(redirect('/there?x=1', 307), endpoint.json({ there: true }));
      expect((await run({ method: 'POST', body: 'kept' })).body).toEqual({ there: true });
      expect(endpoint.received.map(({ method, url, body }) => [method, url, body])).toEqual([['POST', '/', 'kept'], ['POST', '/there?x=1', 'kept']]);
      endpoint.reset();
      endpoint.inTurn(redirect('/there', 303), endpoint.json({}));
      await run({ method: 'POST', body: 'not kept' });
      expect(endpoint.received[1]).toMatchObject({ method: 'GET', url: '/there', body: '' });
      endpoint.answer = redirect(`${other.url}/out`);
      await expect(run({}, { hosts: endpoint.host })).rejects.toMatchObject({ status: 403, message: `A redirect of ${endpoint.host} names the host ${other.host}, which is none of REST_CONNECTOR_HOSTS` });
      endpoint.answer = redirect('file:///etc/passwd');
      await expect(run({})).rejects.toMatchObject({ status: 403 });
      endpoint.answer = redirect('/round');
      expect(await messageOf({})).toBe(`${endpoint.host} leads to more than 5 redirects, one behind the other`);
      expect(other.received).toEqual([]);
    });

    it('and tells another origin no secret, nor who calls', async () => {
      endpoint.answer = redirect(`${other.url}/out`, 307);
      const headers = { authorization: 'Bearer mine', 'X-Key': 'of {{secret:key}}', 'x-plain': 'plain' };
      await run({ headers }, { secrets: { key: 'hidden' } });
      expect(endpoint.received[0]?.headers).toMatchObject({ authorization: 'Bearer mine', 'x-key': 'of hidden' });
      expect(other.received[0]?.headers).toMatchObject({ 'x-plain': 'plain' });
      expect(Object.keys(other.received[0]?.headers ?? {})).not.toEqual(expect.arrayContaining(['authorization']));
      expect(JSON.stringify(other.received)).not.toContain('hidden');
      await expect(run({ method: 'POST', body: { key: '{{secret:key}}' } }, { secrets: { key: 'hidden' } })).rejects.toMatchObject({ status: 403 });
      expect(other.received).toHaveLength(1);
    });
  });

  describe('waits', () => {
    it('as 429 and 503 ask, by seconds or a date', async () => {
      const asks = (status: number, after: string) => endpoint.json({}, status, { 'retry-after': after });
      endpoint.inTurn(asks(429, '0'), asks(503, new Date(Date.now() - 1_000).toUTCString()), asks(429, '1'), endpoint.json({ done: true }));
      const step = new RestStep({ url: endpoint.url });
      const begun = performance.now();
      expect((await step.run()).body).toEqual({ done: true });
      expect(performance.now() - begun).toBeGreaterThanOrEqual(1_190);
      expect(step.log).toEqual([`info: ${endpoint.host} answered 429: waits 1 s`, `info: ${endpoint.host} answered 503: waits 1 s`, `info: ${endpoint.host} answered 429: waits 1 s`, `info: GET ${endpoint.url}/ answered 200`]);
    });

    it('not longer than it may take, and not where nobody says how long', async () => {
      endpoint.answer = endpoint.json({}, 429, { 'retry-after': '3600' });
      await expect(run({})).rejects.toMatchObject({ status: 429, message: `${endpoint.host} answered 429 and asks to wait 3600 s, which is longer than the step may take` });
      endpoint.answer = endpoint.json({}, 503);
      await expect(run({})).rejects.toMatchObject({ status: 503 });
      expect(endpoint.received).toHaveLength(2);
    });

    const silences: readonly (readonly [string, RequestListener])[] = [
      ['silence', () => undefined], ['a body that does not end', (_, response) => void response.writeHead(200).write('a')],
      ['a wait', (_, response) => void response.writeHead(429, { 'retry-after': '60' }).end()],
    ];

    it.each(silences)('no moment longer than its run: %s', async (_, answer) => {
      endpoint.answer = answer;
      const ending = new AbortController();
      const running = run({}, { signal: ending.signal });
      const outcome = expect(running).rejects.toThrow('stopped');
      await eventually(() => expect(endpoint.received).toHaveLength(1));
      ending.abort(new Error('stopped'));
      await outcome;
    });

    it('no longer than _timeout says', async () => {
      endpoint.answer = silences[1]?.[1] as RequestListener;
      await expect(run({ _timeout: '* * 1' })).rejects.toMatchObject({ name: 'StepLate' });
      await eventually(() => expect(endpoint.cut).toBeGreaterThan(0));
    });
  });
});
