import { invalid } from '@twinyard/conventions';
import { AnswerStore } from '@twinyard/service-kit';
import { dyingBehind, expectReplay } from '@twinyard/testing';
import type { Component } from '../src/components/component';
import { ping } from '../src/components/ping.component';
import { NS, ORCHESTRATORS, RUNS, RunningService, SCHEDULES } from './running-service';

const breaks: Component = { ...ping, id: '00000000-0000-4000-8000-000000000002', name: 'breaks', run: () => Promise.reject(invalid('the roof is missing')) };

describe('what is made, begun or changed with an Idempotency-Key', () => {
  let service: RunningService;
  let owner: string;
  let orchestrator: string;
  beforeAll(async () => {
    service = await RunningService.start([ping, breaks], { RUN_CONCURRENCY: 1 });
    owner = await service.passport.token('owner');
    await service.passport.grant('owner', NS, ['*']);
  });
  beforeEach(async () => { orchestrator = await service.orchestrator(owner, [{ _orchcomp: 'breaks' }]); });
  afterAll(() => service?.stop());

  const rows = async (table: string) => (await service.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${table}`))[0]?.n;

  const forms: Readonly<Record<string, { readonly table: string; readonly send: () => Promise<{ readonly path: string; readonly body: object }> }>> = {
    'a run': { table: 'orchestrator_run', send: async () => ({ path: RUNS, body: { orchestratorId: orchestrator } }) },
    'a run that is tried again': { table: 'orchestrator_run', send: async () => ({ path: `${RUNS}/${(await service.ended(owner, (await service.startRun(owner, orchestrator)).id)).id}/retry`, body: {} }) },
    'an orchestrator': { table: 'orchestrator', send: async () => ({ path: ORCHESTRATORS, body: { _name: 'Made', _namespaces: [NS], _params: { tasks: [{ _orchcomp: 'ping' }] } } }) },
    'a schedule': { table: 'orchestrator_schedule', send: async () => ({ path: SCHEDULES, body: { _orchid: orchestrator, runinterval: '1 * *' } }) },
  };

  it.each(Object.keys(forms))('is there once, %s, though its process dies before it answers, and answered as it would have been', async (name) => {
    const { table, send } = forms[name] as (typeof forms)[string];
    const { path, body } = await send();
    const post = () => service.call(owner, 'post', path).set('idempotency-key', `${name} ${orchestrator}`).send(body);
    const first = await dyingBehind(service.app.get(AnswerStore, { strict: false }), async () => post());
    expect([first.status, first.body]).toEqual([200, expect.anything()]);
    const made = await rows(table);
    expectReplay(await post(), first);
    expect(await rows(table)).toBe(made);
  });

  const scheduled = async () => ((await service.call(owner, 'post', SCHEDULES).send({ _orchid: orchestrator, runinterval: '1 * *' }).expect(200)).body as { readonly _id: string })._id;
  const waiting = async () => {
    await service.call(owner, 'put', `${ORCHESTRATORS}/${orchestrator}`).send({ _name: 'Paused', _namespaces: [NS], _paused: true }).expect(200);
    return (await service.startRun(owner, orchestrator)).id;
  };
  const changes: Readonly<Record<string, () => Promise<readonly [method: 'put' | 'delete', path: string, body?: object]>>> = {
    'an orchestrator is changed': async () => ['put', `${ORCHESTRATORS}/${orchestrator}`, { _name: 'ü', _namespaces: [NS] }],
    'an orchestrator with a schedule is changed': async () => {
      await scheduled();
      return ['put', `${ORCHESTRATORS}/${orchestrator}`, { _name: 'ü', _namespaces: [NS] }];
    },
    'an orchestrator is deleted': async () => ['delete', `${ORCHESTRATORS}/${orchestrator}`],
    'a schedule is changed': async () => ['put', `${SCHEDULES}/${await scheduled()}`, { _enabled: false }],
    'a schedule is deleted': async () => ['delete', `${SCHEDULES}/${await scheduled()}`],
    'a run is cancelled': async () => {
      const id = await waiting();
      return ['put', `${RUNS}/${id}`, { id }];
    },
    'a run is deleted': async () => ['delete', `${RUNS}/${await waiting()}`],
  };

  it.each(Object.keys(changes))('is done once where %s, and answered as it would have been', async (name) => {
    const [method, path, body] = await (changes[name] as (typeof changes)[string])();
    const send = () => service.call(owner, method, path).set('idempotency-key', `${name} ${orchestrator}`).send(body);
    const first = await dyingBehind(service.app.get(AnswerStore, { strict: false }), async () => send());
    expectReplay(await send(), first);
  });
});
