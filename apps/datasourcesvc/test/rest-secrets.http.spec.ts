import { builtInComponents } from '../src/components/built-in-components';
import { PlatformStandIn } from './consumer-contract/platform-stand-in';
import { Endpoint } from './endpoint';
import { restRules } from './rest-step';
import { addressesAt, NS, OTHER, type RunBody, RunningService } from './running-service';

const SECRET = 'correct horse "battery"';

describe('secrets of rest_connector', () => {
  let service: RunningService;
  let endpoint: Endpoint;
  let platform: PlatformStandIn;
  let owner: string;

  beforeAll(async () => {
    [endpoint, platform] = await Promise.all([Endpoint.start(), PlatformStandIn.start()]);
    service = await RunningService.start(builtInComponents({ rest: restRules() }), addressesAt(platform.url));
    owner = await service.passport.token('owner');
    await service.passport.grant('owner', NS, ['*']);
    service.passport.addSecret('key', SECRET, [NS]);
    service.passport.addSecret('foreign', 'of another tenant', [OTHER]);
  });
  beforeEach(() => endpoint.reset());
  afterAll(async () => {
    await service?.stop();
    await endpoint?.stop();
    await platform?.stop();
  });

  const run = async (params: object, token = owner): Promise<RunBody> => {
    const id = await service.orchestrator(owner, [{ _orchcomp: 'rest_connector', _actualparams: { url: endpoint.url, ...params } }]);
    return service.ended(owner, (await service.startRun(token, id)).id);
  };
  const messageOf = ({ orchrunsteps: [step] }: RunBody) => step?._statusmsg;
  const traces = ['correct', Buffer.from(SECRET).toString('base64')];

  /** All that is kept and told of a run. */
  const everythingOf = async (ended: RunBody) => JSON.stringify([
    ended, await service.run(owner, ended.id), await service.log(owner, ended.id),
    await service.query('SELECT r::text FROM orchestrator_run r WHERE id = $1', [ended.id]), await service.query('SELECT s::text FROM orchestrator_run_step s WHERE run_id = $1', [ended.id]),
  ]);

  it('go to the other side, and nowhere else when it sends them back', async () => {
    endpoint.answer = (request, response) => {
      const [received] = endpoint.received.slice(-1);
      response.writeHead(200, { 'content-type': 'application/json', 'x-echo': request.headers['x-key'] ?? '' });
      response.end(JSON.stringify({ headers: received?.headers, body: received?.body, [SECRET]: [SECRET], basic: Buffer.from(SECRET).toString('base64') }));
    };
    const ended = await run({ method: 'POST', headers: { 'X-Key': '{{secret:key}}' }, body: { password: '{{ secret:key }}' } });
    expect(ended._status).toBe('COMPLETED');
    expect(endpoint.received[0]).toMatchObject({ headers: { 'x-key': SECRET }, body: JSON.stringify({ password: SECRET }) });
    expect(JSON.parse(ended._result as string)).toMatchObject({ headers: { 'x-echo': '***' }, body: { body: '{"password":"***"}', '***': ['***'], basic: '***' } });
    const kept = await everythingOf(ended);
    for (const trace of traces) expect(kept).not.toContain(trace);
  });

  it('are in nothing that is kept of a step whose answer becomes a file, and in no message', async () => {
    const params = { headers: { 'X-Key': '{{secret:key}}' }, _toFile: { name: 'a.json' } };
    endpoint.answer = (request, response) => void response.writeHead(200, { 'content-type': `text/plain; x="${request.headers['x-key'] as string}"`, 'x-echo': request.headers['x-key'] }).end('body');
    const ended = await run(params);
    expect(ended._status).toBe('COMPLETED');
    expect(JSON.parse(ended._result as string)).toMatchObject({ status: 200, headers: { 'x-echo': '***' }, file: { _version: 1, _size: 4 } });
    endpoint.answer = endpoint.json({ message: `${SECRET} is wrong` }, 403);
    const refused = await run(params);
    expect(messageOf(refused)).toContain(`${endpoint.host} answered 403`);
    const kept = `${await everythingOf(ended)}${await everythingOf(refused)}${JSON.stringify([...platform.files.all.values()])}`;
    for (const trace of traces) expect(kept).not.toContain(trace);
  });

  it('are in no message when the other side refuses them', async () => {
    endpoint.answer = endpoint.json({ message: `${'x'.repeat(270)} ${SECRET} is wrong` }, 403);
    const ended = await run({ headers: { authorization: 'Bearer {{secret:key}}' } });
    expect(ended._status).toBe('ERROR');
    expect(messageOf(ended)).toContain(`${endpoint.host} answered 403`);
    const kept = await everythingOf(ended);
    for (const trace of traces) expect(kept).not.toContain(trace);
  });

  it('are told to a run that may READ them, and to no other', async () => {
    const runner = await service.passport.token('runner');
    await service.passport.grant('runner', NS, ['READ', 'RUN'], 'datasourcesvc:orchestrator:*');
    const headers = { 'x-key': '{{secret:key}}' };
    const refused = await run({ headers }, runner);
    expect([refused._status, messageOf(refused)]).toEqual(['ERROR', 'There is no secret "key" that the run may read']);
    expect(endpoint.received).toEqual([]);
    await service.passport.grant('runner', NS, ['READ'], 'passportsvc:secret:*');
    expect(await run({ headers }, runner)).toMatchObject({ _status: 'COMPLETED' });
    expect(messageOf(await run({ headers: { 'x-key': '{{secret:foreign}}' } }))).toBe('There is no secret "foreign" that the run may read');
  });

  it('stand in no address, and are those that _secrets names where it names any', async () => {
    for (const params of [{ url: `${endpoint.url}/{{secret:key}}` }, { query: { key: '{{secret:key}}' } }]) expect(messageOf(await run(params))).toContain('a secret may stand in values of headers and in the body alone');
    const headers = { 'x-key': '{{secret:api}}' };
    expect(messageOf(await run({ headers, _secrets: ['key'] }))).toBe('_secrets: does not name "api"');
    expect(await run({ headers, _secrets: { api: 'key' } })).toMatchObject({ _status: 'COMPLETED' });
    expect(endpoint.received).toMatchObject([{ headers: { 'x-key': SECRET } }]);
  });
});
