import { newUuid } from '@twinyard/conventions';
import { decodeJwt } from 'jose';
import { z } from 'zod';
import { builtInComponents } from '../src/components/built-in-components';
import type { Component } from '../src/components/component';
import { PlatformStandIn } from './consumer-contract/platform-stand-in';
import { NS, ORCHESTRATORS, OTHER, type RunBody, RUNS, RunningService } from './running-service';

const PROFILE = newUuid();
const ELSEWHERE = newUuid();
const PING = { _orchcomp: 'ping', _actualparams: { text: 'a' } };
const PROFILE_IRN = 'passportsvc:permission_profile';

/** Asks the file service for a file, as any component may, so that the stand-in hears with which token. */
const asking: Component = {
  id: newUuid(), name: 'asking', description: 'asks for a file', params: z.object({}),
  run: async ({ platform }) => {
    await platform.files.get('file').catch(() => undefined);
    return null;
  },
};

describe('permission profiles of orchestrators', () => {
  let service: RunningService;
  let files: PlatformStandIn;
  let owner: string;
  let maker: string;

  beforeAll(async () => {
    files = await PlatformStandIn.start();
    service = await RunningService.start([...builtInComponents(), asking], { ITEMSVC_URL: files.url, FILESVC_URL: files.url });
    owner = await service.passport.token('owner');
    maker = await service.passport.token('maker');
    service.passport.addProfile(PROFILE, [NS]);
    service.passport.addProfile(ELSEWHERE, [OTHER]);
    await service.passport.grant('owner', NS, ['*']);
    await service.passport.grant('maker', NS, ['READ', 'CREATE', 'EDIT', 'RUN'], 'datasourcesvc:orchestrator:*');
  });
  afterAll(async () => {
    await service?.stop();
    await files?.stop();
  });

  const create = (token: string, changes: object = {}, ns = NS) =>
    service.call(token, 'post', ORCHESTRATORS, ns).send({ _name: 'Import', _namespaces: [ns], _params: { tasks: [PING] }, ...changes });
  const put = (token: string, made: { id: string }, changes: object) => service.call(token, 'put', `${ORCHESTRATORS}/${made.id}`).send({ ...made, ...changes });
  const refusal = async (answer: ReturnType<typeof create>) => {
    const { status, body } = await answer;
    return { status, message: body.message, details: body.details };
  };

  it('are of the same namespace; another tenant\'s, an unknown one and nonsense are told apart by nobody', async () => {
    await create(owner, { _permissionprofileid: PROFILE }).expect(200);
    const refusals = await Promise.all([ELSEWHERE, newUuid(), 'nonsense', '../..'].map((_permissionprofileid) => refusal(create(owner, { _permissionprofileid }))));
    expect(refusals[0]).toMatchObject({ status: 400, details: [{ field: '_permissionprofileid' }] });
    expect(new Set(refusals.map((one) => JSON.stringify(one))).size).toBe(1);
    const plain = (await create(owner).expect(200)).body;
    for (const _permissionprofileid of [ELSEWHERE, newUuid(), 'nonsense']) await put(owner, plain, { _permissionprofileid }).expect(400);
    await put(owner, plain, { _permissionprofileid: PROFILE }).expect(200);
  });

  it('are attached by who holds ASSIGN on the orchestrator and on the profile', async () => {
    const attach = () => create(maker, { _permissionprofileid: PROFILE });
    const plain = (await create(maker).expect(200)).body;
    await attach().expect(403);
    await service.passport.grant('maker', NS, ['ASSIGN'], 'datasourcesvc:orchestrator:*');
    expect((await refusal(attach())).status).toBe(400);
    await service.passport.grant('maker', NS, ['READ'], `${PROFILE_IRN}:*`);
    await attach().expect(403);
    await put(maker, plain, { _permissionprofileid: PROFILE }).expect(403);
    await service.passport.grant('maker', NS, ['ASSIGN'], `${PROFILE_IRN}:${PROFILE}`);
    await attach().expect(200);
    await put(maker, plain, { _permissionprofileid: PROFILE }).expect(200);
  });

  it('keep their tasks from who may not ASSIGN; everything else may be edited, and whole records sent back', async () => {
    const editor = await service.passport.token('editor');
    await service.passport.grant('editor', NS, ['READ', 'EDIT'], 'datasourcesvc:orchestrator:*');
    const made = (await create(owner, { _permissionprofileid: PROFILE }).expect(200)).body;
    await put(editor, made, { _name: 'Renamed', _params: { tasks: [PING] } }).expect(200);
    for (const tasks of [[{ ...PING, _actualparams: { text: 'b' } }], [PING, PING], [{ ...PING, _sequenceno: 7 }], [{ ...PING, _retry: { _max: 1 } }], [{ _orchcomp: 'asking' }]]) {
      await put(editor, made, { _params: { tasks } }).expect(403);
      await put(editor, made, { _permissionprofileid: undefined, _params: { tasks } }).expect(403);
    }
    await put(owner, made, { _params: { tasks: [{ _orchcomp: 'asking' }] } }).expect(200);
    await put(editor, made, { _permissionprofileid: null, _params: { tasks: [PING] } }).expect(200);
  });

  it('are brought to no namespace that they do not lie in', async () => {
    const made = (await create(owner, { _permissionprofileid: PROFILE }).expect(200)).body;
    await service.passport.grant('owner', OTHER, ['*']);
    await service.call(owner, 'put', `${ORCHESTRATORS}/${made.id}?nsfilter=${OTHER}`).send({ ...made, _namespaces: [NS, OTHER] }).expect(400);
  });

  describe('the token of a run', () => {
    const runToken = (namespaces: readonly string[]) => service.passport.token('owner', { run: { id: newUuid(), namespaces } });

    it('opens nothing of another namespace that its starter owns', async () => {
      await service.passport.grant('owner', OTHER, ['*']);
      const there = (await create(owner, {}, OTHER).expect(200)).body as { id: string };
      const run = ((await service.call(owner, 'post', RUNS, OTHER).send({ orchestratorId: there.id }).expect(200)).body as { id: string }).id;
      const token = await runToken([NS]);
      const call = (method: 'get' | 'post' | 'put' | 'delete', path: string, body?: object) => service.call(token, method, path, OTHER).send(body);
      await call('get', ORCHESTRATORS).expect(200).expect(({ body }) => expect(body._total).toBe(0));
      await call('get', RUNS).expect(200).expect(({ body }) => expect(body._total).toBe(0));
      await create(token, {}, OTHER).expect(403);
      const body = { _name: 'Mine', _namespaces: [OTHER], _params: { tasks: [PING] } };
      for (const [method, path] of [['get', `${ORCHESTRATORS}/${there.id}`], ['put', `${ORCHESTRATORS}/${there.id}`], ['delete', `${ORCHESTRATORS}/${there.id}`], ['get', `${RUNS}/${run}`], ['delete', `${RUNS}/${run}`]] as const) {
        await call(method, path, method === 'put' ? body : undefined).expect(404);
      }
      await call('post', RUNS, { orchestratorId: there.id }).expect(400);
      await create(token).expect(200);
      await create(await runToken([])).expect(403);
    });

    it('grants nothing', async () => {
      const token = await runToken([NS]);
      for (const method of ['get', 'put'] as const) await service.call(token, method, '/datasourcesvc/api/v1/permissions').send(method === 'put' ? [] : undefined).expect(403);
    });

    it('has at most the scopes of the token that the run was started with', async () => {
      const orchestratorId = await service.orchestrator(owner, [{ _orchcomp: 'asking' }]);
      const scopesOfRun = async (...scopes: readonly string[]) => {
        files.calls.length = 0;
        const started = await service.call(await service.passport.token('owner', { scopes }), 'post', RUNS).send({ orchestratorId });
        if (started.status !== 200) return `refused with ${started.status}`;
        await service.ended(owner, (started.body as RunBody).id);
        return decodeJwt(files.calls[0]?.token?.replace('Bearer ', '') ?? '')['scope'];
      };
      expect(await scopesOfRun('read')).toBe('refused with 403');
      // Without READ it cannot say which orchestrator it means.
      expect(await scopesOfRun('write')).toBe('refused with 400');
      expect(await scopesOfRun('read', 'write')).toBe('read write');
      expect(await scopesOfRun('read', 'write', 'scim', 'download-secrets')).toBe('read write');
    });

    it('says in which namespaces it holds, and a run that it starts has the rights of its profile and no more', async () => {
      const id = await service.orchestrator(owner, [{ _orchcomp: 'asking' }]);
      await service.passport.grant(PROFILE, NS, ['READ', 'RUN'], 'datasourcesvc:orchestrator:*');
      const underProfile = await service.passport.token('owner', { run: { id: newUuid(), namespaces: [NS] }, profileId: PROFILE });
      for (const [token, profile] of [[owner, undefined], [underProfile, PROFILE]] as const) {
        files.calls.length = 0;
        const run = await service.startRun(token, id);
        await service.ended(owner, run.id);
        const claims = decodeJwt(files.calls[0]?.token?.replace('Bearer ', '') ?? '');
        expect(claims).toMatchObject({ sub: 'owner', run_id: run.id, run_namespaces: [NS] });
        expect(claims['profile_id']).toBe(profile);
      }
    });
  });
});
