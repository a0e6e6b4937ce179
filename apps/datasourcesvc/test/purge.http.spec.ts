import { Outbox, resourceDeleted } from '@twinyard/events';
import { UnitOfWork } from '@twinyard/service-kit';
import { eventually, tellAgain } from '@twinyard/testing';
import type { Component } from '../src/components/component';
import { ping } from '../src/components/ping.component';
import { jobOfSchedule, NS, OTHER, RUNS, RunningService, SCHEDULES } from './running-service';

let stopped = 0;
/** Ends when it is stopped, and not before. */
const waits: Component = {
  ...ping, id: '00000000-0000-4000-8000-000000000002', name: 'waits',
  run: ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => {
    stopped += 1;
    reject(signal.reason as Error);
  })),
};

describe('a purged namespace', () => {
  let service: RunningService;
  let owner: string;
  beforeAll(async () => {
    service = await RunningService.start([ping, waits], { RUN_CONCURRENCY: 2 });
    owner = await service.passport.token('owner');
    for (const namespace of [NS, OTHER]) await service.passport.grant('owner', namespace, ['*']);
  });
  afterAll(() => service?.stop());

  const task = (name: string) => [{ _orchcomp: name, _actualparams: {} }];
  const purge = async (namespace: string) => {
    const workspace = { _id: 'one', _irn: 'passportsvc:workspace:one', _namespaces: [namespace], _purge: true };
    const event = resourceDeleted('passportsvc.Workspace', workspace, { userId: 'owner', requestId: 'the request' });
    await service.app.get(UnitOfWork, { strict: false }).run((tx) => service.app.get(Outbox, { strict: false }).append(tx, event));
    await eventually(async () => expect(await service.query('SELECT 1 FROM namespace_purge WHERE namespace = $1 AND finished_at IS NOT NULL', [namespace])).toHaveLength(1));
  };
  const tablesThatName = async (text: string) => {
    const tables = await service.query<{ name: string }>(`SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1`);
    const found = [];
    for (const { name } of tables) found.push(...((await service.query(`SELECT FROM "${name}" t WHERE strpos(t::text, $1) > 0 LIMIT 1`, [text])).length > 0 ? [name] : []));
    return found.filter((name) => !/^(event_|namespace_purge$)/.test(name));
  };

  it('has its runs cancelled before they go, with orchestrators, schedules, steps and logs; what is shared stays to the others', async () => {
    const long = await service.orchestrator(owner, task('waits'));
    const running = await service.startRun(owner, long);
    await eventually(async () => expect((await service.run(owner, running.id))._status).toBe('RUNNING'));
    const short = await service.orchestrator(owner, task('ping'));
    const done = await service.startRun(owner, short);
    await service.ended(owner, done.id);
    const shared = await service.call(owner, 'post', '/datasourcesvc/api/v1/orchestrators').query({ nsfilter: [NS, OTHER] }).send({ _name: 'Shared', _namespaces: [NS, OTHER], _params: { tasks: task('ping') } }).expect(200);
    const started = await service.call(owner, 'post', RUNS).query({ nsfilter: [NS, OTHER] }).send({ orchestratorId: (shared.body as { id: string }).id }).expect(200);
    const sharedRun = started.body as { id: string };
    await service.ended(owner, sharedRun.id);
    const schedule = async (_orchid: string, nsfilter: readonly string[]) =>
      ((await service.call(owner, 'post', SCHEDULES).query({ nsfilter }).send({ _orchid, runinterval: '1 * *' }).expect(200)).body as { _id: string })._id;
    const [own, sharedSchedule] = [await schedule(short, [NS]), await schedule((shared.body as { id: string }).id, [NS, OTHER])];

    await purge(NS);
    expect(stopped).toBe(1);
    for (const text of [NS, long, short, own, running.id, done.id]) expect([text, await tablesThatName(text)]).toEqual([text, []]);
    expect(await tellAgain(service.eventsDatabaseUrl, NS)).toBeGreaterThan(5);
    for (const text of [NS, long, short, running.id, done.id]) expect([text, await tablesThatName(text)]).toEqual([text, []]);
    const [kept] = (await service.call(owner, 'get', `${RUNS}/${sharedRun.id}`, OTHER).expect(200)).body as { _status: string; _namespaces?: string[] }[];
    expect(kept).toMatchObject({ _status: 'COMPLETED' });
    expect((await service.call(owner, 'get', '/datasourcesvc/api/v1/orchestrators', OTHER).expect(200)).body._list).toMatchObject([{ _name: 'Shared', _namespaces: [OTHER], _class: 'SCHEDULED' }]);
    // What was ordered for it in the namespace that is gone is ordered in the other.
    expect(await service.query(`SELECT namespace, state FROM job WHERE ${jobOfSchedule(sharedSchedule)}`)).toEqual([{ namespace: OTHER, state: 'WAITING' }]);
  });
});
