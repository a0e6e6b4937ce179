import { eventually } from '@twinyard/testing';
import request from 'supertest';
import { ping } from '../src/components/ping.component';
import { jobOf, jobOfSchedule, NS, ORCHESTRATORS, OTHER, type RunBody, RUNS, RunningService, SCHEDULES } from './running-service';
import { waits } from './waiting';

const COMPONENTS = [ping, waits];
const HALF_HOUR_MS = 1_800_000;

interface MadeRun {
  readonly id: string;
  readonly state: string;
  readonly due: Date;
}

describe('runs of schedules, over two replicas', () => {
  let service: RunningService;
  let owner: string;

  beforeAll(async () => {
    service = await RunningService.start(COMPONENTS);
    await service.addInstance(COMPONENTS);
    owner = await service.passport.token('owner');
    for (const namespace of [NS, OTHER]) await service.passport.grant('owner', namespace, ['*']);
  });

  afterAll(() => service?.stop());

  const schedule = async (component: string, changes: object = {}, by = owner, ns = NS) => {
    const tasks = [{ _orchcomp: component }];
    const made = await service.call(owner, 'post', ORCHESTRATORS, ns).send({ _name: 'Import', _namespaces: [ns], _params: { tasks } }).expect(200);
    const _orchid = (made.body as { id: string }).id;
    return ((await service.call(by, 'post', SCHEDULES, ns).send({ _orchid, runinterval: '* 30 *', ...changes }).expect(200)).body as { _id: string })._id;
  };
  const runsOf = (id: string) => service.query<MadeRun>('SELECT id, state, schedule_due_at AS due FROM orchestrator_run WHERE schedule_id = $1 ORDER BY schedule_due_at', [id]);
  const record = async (id: string, ns = NS) => (await service.call(owner, 'get', `${SCHEDULES}/${id}`, ns).expect(200)).body as { _enabled: boolean; next_scheduled_time: string | null; next_scheduled_run_created: boolean };
  /** What was due is done: the next time lies ahead, or none comes. */
  const settled = (id: string) =>
    eventually(async () => expect(await service.query('SELECT 1 FROM orchestrator_schedule WHERE id = $1 AND coalesce(next_due_at > clock_timestamp(), true)', [id])).toHaveLength(1));
  const bringDue = async (id: string, secondsAgo = 0) => {
    await service.bringDue(id, secondsAgo);
    await settled(id);
  };
  const cancel = async (id: string, ns = NS) => {
    await service.call(owner, 'put', `${RUNS}/${id}`, ns).send({ id }).expect(200);
    await eventually(async () => expect(await service.query(`SELECT 1 FROM orchestrator_run WHERE id = $1 AND state = 'CANCELLED'`, [id])).toHaveLength(1));
  };
  const inState = (id: string, state: string, options: { readonly timeoutMs?: number } = {}) =>
    eventually(async () => expect(await service.query('SELECT state FROM orchestrator_run WHERE id = $1', [id])).toEqual([{ state }]), options);
  /** A worker has looked at it and let it lie. */
  const lies = (run: string) => eventually(async () => expect(await service.query(`SELECT state FROM job WHERE ${jobOf(run)}`)).toEqual([{ state: 'WAITING' }]));
  const orchestratorOf = async (id: string) => ((await service.call(owner, 'get', `${SCHEDULES}/${id}`).expect(200)).body as { _orchid: string })._orchid;

  it('are made one for each due time, which they carry, in the name of who wrote the schedule', async () => {
    const id = await schedule('ping', { _actualParams: [{ sequence_type_id: ping.id, params: { a: 1 } }] });
    for (let round = 1; round <= 5; round += 1) {
      await bringDue(id);
      const runs = await runsOf(id);
      expect(runs).toHaveLength(round);
      const [latest] = runs.slice(-1);
      const run = await service.ended(owner, latest?.id ?? '');
      expect(run).toMatchObject({ _status: 'COMPLETED', _createdby: 'owner', _orchschedule: { _id: id, _due: latest?.due.toISOString() } });
      expect(JSON.parse(run._result as string)).toMatchObject({ actualParams: { a: 1 } });
      expect(Date.parse((await record(id)).next_scheduled_time ?? '')).toBe((latest?.due.getTime() ?? 0) + HALF_HOUR_MS);
    }
  });

  it('come second by second, none left out and none twice', async () => {
    // A machine that stands still for a second makes up for it, time by time.
    const id = await schedule('ping', { runinterval: '* * 1', _overlap: 'ALLOW', _catchup: 'ALL' });
    await eventually(async () => expect((await runsOf(id)).length).toBeGreaterThan(3));
    await service.call(owner, 'delete', `${SCHEDULES}/${id}`).expect(204);
    const times = (await runsOf(id)).map(({ due }) => due.getTime());
    expect(times).toEqual(times.map((_, nth) => (times[0] ?? 0) + nth * 1_000));
  });

  it('are not made again when clocks are set back, nor while the schedule is switched off', async () => {
    const id = await schedule('ping');
    await bringDue(id);
    const [first] = await runsOf(id);
    await service.query('UPDATE orchestrator_schedule SET next_due_at = $2 WHERE id = $1', [id, first?.due]);
    await service.query(`UPDATE job SET due_at = clock_timestamp(), state = 'READY' WHERE ${jobOfSchedule(id)} RETURNING pg_notify('jobs', kind)`);
    await settled(id);
    expect(await runsOf(id)).toHaveLength(1);
    await service.call(owner, 'put', `${SCHEDULES}/${id}`).send({ _enabled: false }).expect(200);
    await service.query(`UPDATE job SET due_at = clock_timestamp(), state = 'READY' WHERE ${jobOfSchedule(id)} RETURNING pg_notify('jobs', kind)`);
    await eventually(async () => expect(await service.query(`SELECT 1 FROM job WHERE ${jobOfSchedule(id)}`)).toEqual([]));
    expect(await runsOf(id)).toHaveLength(1);
  });

  it('are made once although their maker fell silent and another took over', async () => {
    const id = await schedule('ping');
    const _orchid = await orchestratorOf(id);
    const token = async () => (await service.query<{ token: string }>(`SELECT token FROM job WHERE ${jobOfSchedule(id)} AND state = 'RUNNING' AND leased_until > clock_timestamp()`))[0]?.token ?? null;
    // Both have the job, one after the other, and neither gets any further.
    await service.whileHeld('SELECT 1 FROM orchestrator WHERE id = $1 FOR UPDATE', [_orchid], async () => {
      await service.bringDue(id);
      const first = await eventually(token);
      await service.query(`UPDATE job SET token = nextval('job_token'), leased_until = clock_timestamp() - interval '1 s' WHERE ${jobOfSchedule(id)} RETURNING pg_notify('jobs', kind)`);
      await eventually(async () => ![first, null].includes(await token()));
    });
    await settled(id);
    expect(await runsOf(id)).toHaveLength(1);
    await eventually(async () => expect(await service.query(`SELECT state FROM job WHERE ${jobOfSchedule(id)}`)).toEqual([{ state: 'WAITING' }]));
    expect(await runsOf(id)).toHaveLength(1);
  });

  describe('while another of the same schedule has not ended', () => {
    it('are left out, where nothing is said', async () => {
      const id = await schedule('waits');
      for (let times = 0; times < 3; times += 1) await bringDue(id);
      const [first, ...others] = await runsOf(id);
      expect(others).toEqual([]);
      await cancel(first?.id ?? '');
      await bringDue(id);
      const runs = await runsOf(id);
      expect(runs).toHaveLength(2);
      await cancel(runs[1]?.id ?? '');
    });

    it('go on beside it, where that is allowed', async () => {
      const id = await schedule('waits', { _overlap: 'ALLOW' });
      for (let times = 0; times < 2; times += 1) await bringDue(id);
      const runs = await runsOf(id);
      expect(runs).toHaveLength(2);
      for (const run of runs) await inState(run.id, 'RUNNING');
      for (const run of runs) await cancel(run.id);
    });

    it('wait for their turn, where they are queued, and are not what more workers would help', async () => {
      const id = await schedule('waits', { _overlap: 'QUEUE' });
      for (let times = 0; times < 3; times += 1) await bringDue(id);
      const [first, second, third] = (await runsOf(id)).map((run) => run.id) as [string, string, string];
      await inState(first, 'RUNNING');
      for (const run of [second, third]) await lies(run);
      await eventually(async () => expect((await request(service.app.getHttpServer()).get('/metrics').expect(200)).text).toMatch(/^runs_waiting 0$/m));
      for (const [ended, next] of [[first, second], [second, third]] as const) {
        await inState(next, 'QUEUED');
        await cancel(ended);
        await inState(next, 'RUNNING');
      }
      await cancel(third);
    });

    it('wait for their turn, and keep no other run of the orchestrator from the room that there is', async () => {
      const id = await schedule('waits', { _overlap: 'QUEUE' });
      const orchestratorId = await orchestratorOf(id);
      await service.call(owner, 'put', `${ORCHESTRATORS}/${orchestratorId}`).send({ _name: 'Import', _namespaces: [NS], _maxConcurrent: 2 }).expect(200);
      await bringDue(id);
      const [first] = await runsOf(id);
      await inState(first?.id ?? '', 'RUNNING');
      const beside = (await service.startRun(owner, orchestratorId)).id;
      await inState(beside, 'RUNNING');
      for (let times = 0; times < 2; times += 1) await bringDue(id);
      const last = (await service.startRun(owner, orchestratorId)).id;
      const [, ...behind] = (await runsOf(id)).map((run) => run.id);
      for (const run of [...behind, last]) await lies(run);
      await cancel(beside);
      await inState(last, 'RUNNING', { timeoutMs: 20_000 });
      for (const run of behind) await inState(run, 'QUEUED');
      await service.call(owner, 'delete', `${ORCHESTRATORS}/${orchestratorId}`).expect(204);
      for (const run of [first?.id ?? '', last, ...behind]) await inState(run, 'CANCELLED');
    });
  });

  it.each([['ONE', 1], ['NONE', 0], ['ALL', 4]])('after an outage are made as _catchup %s says: %d', async (_catchup, count) => {
    const id = await schedule('ping', { _catchup, _overlap: 'ALLOW' });
    await bringDue(id, 7_000);
    const times = (await runsOf(id)).map(({ due }) => due.getTime());
    expect(times).toHaveLength(count);
    expect(times).toEqual(times.map((_, nth) => (times[0] ?? 0) + nth * HALF_HOUR_MS));
    const { next_scheduled_time: next } = await record(id);
    const ahead = Date.parse(next ?? '') - Date.now();
    expect([ahead > 0, ahead <= HALF_HOUR_MS]).toEqual([true, true]);
    if (times.length > 0) expect((Date.parse(next ?? '') - (times[0] ?? 0)) % HALF_HOUR_MS).toBe(0);
  });

  it('wait while the namespace has 20 queued runs, and are late then, but not lost', async () => {
    const id = await schedule('ping', { _overlap: 'ALLOW' }, owner, OTHER);
    const crowd = (await service.call(owner, 'post', ORCHESTRATORS, OTHER).send({ _name: 'Crowd', _namespaces: [OTHER], _params: { tasks: [{ _orchcomp: 'waits' }] } }).expect(200)).body as { id: string };
    const start = async () => ((await service.call(owner, 'post', RUNS, OTHER).send({ orchestratorId: crowd.id }).expect(200)).body as RunBody).id;
    const running = [await start(), await start(), await start(), await start()];
    for (const run of running) await inState(run, 'RUNNING');
    const queued: string[] = [];
    for (let times = 0; times < 20; times += 1) queued.push(await start());
    await service.bringDue(id);
    await eventually(async () => expect(await service.query(`SELECT 1 FROM job WHERE ${jobOfSchedule(id)} AND state = 'WAITING' AND due_at < clock_timestamp() + interval '2 s'`)).toHaveLength(1));
    expect(await runsOf(id)).toEqual([]);
    const { next_scheduled_time: due, ...others } = await record(id, OTHER);
    expect([Date.parse(due ?? '') < Date.now(), others.next_scheduled_run_created]).toEqual([true, false]);
    await cancel(queued[0] ?? '', OTHER);
    await settled(id);
    expect((await runsOf(id)).map((run) => run.due.toISOString())).toEqual([due]);
    await service.call(owner, 'delete', `${ORCHESTRATORS}/${crowd.id}`, OTHER).expect(204);
    await inState((await runsOf(id))[0]?.id ?? '', 'COMPLETED');
  });

  describe('whose writer may not run the orchestrator any more', () => {
    const writer = async (name: string) => {
      await service.passport.grant(name, NS, ['READ', 'EDIT', 'RUN'], 'datasourcesvc:orchestrator:*');
      return service.passport.token(name);
    };
    const last = async (id: string) => service.run(owner, (await runsOf(id)).at(-1)?.id ?? '');

    const losses: [string, (name: string) => Promise<void>][] = [['lost the right', (name) => service.passport.revokeAll(name)], ['is disabled', (name) => service.passport.disable(name)]];
    it.each(losses)('since it %s: are ERROR and say so, and after five in a row the schedule is switched off', async (why, lose) => {
      const name = `who ${why}`.replaceAll(' ', '-');
      const id = await schedule('ping', {}, await writer(name));
      await lose(name);
      for (let times = 1; times <= 5; times += 1) {
        await bringDue(id);
        expect(await last(id)).toMatchObject({ _status: 'ERROR', _createdby: name, _orchschedule: { _id: id }, orchrunsteps: [{ _status: 'ERROR', _statusmsg: expect.stringContaining(name) }] });
        expect((await record(id))._enabled).toBe(times < 5);
      }
      const { id: run, orchrunsteps } = await last(id);
      expect(orchrunsteps[0]?._statusmsg).toContain('switched off after 5');
      expect((await service.log(owner, run)).at(-1)).toMatchObject({ level: 'error', end: true });
      expect(await record(id)).toMatchObject({ next_scheduled_time: null });
      expect(await runsOf(id)).toHaveLength(5);
      // Whoever writes it next has it act in its own name.
      await service.call(owner, 'put', `${SCHEDULES}/${id}`).send({ _enabled: true }).expect(200);
      await bringDue(id);
      expect(await service.ended(owner, (await last(id)).id)).toMatchObject({ _status: 'COMPLETED', _createdby: 'owner' });
    });

    it('count anew when it got the right back', async () => {
      const id = await schedule('ping', {}, await writer('maker'));
      await service.passport.revokeAll('maker');
      for (let times = 0; times < 4; times += 1) await bringDue(id);
      await writer('maker');
      await bringDue(id);
      expect(await service.ended(owner, (await last(id)).id)).toMatchObject({ _status: 'COMPLETED', _createdby: 'maker' });
      await service.passport.revokeAll('maker');
      await bringDue(id);
      expect(await last(id)).toMatchObject({ _status: 'ERROR' });
      expect((await record(id))._enabled).toBe(true);
    });

    it('are tried again by whoever may run the orchestrator, as runs of no schedule', async () => {
      const id = await schedule('ping', {}, await writer('leaver'));
      await service.passport.revokeAll('leaver');
      await bringDue(id);
      const { body: again } = await service.call(owner, 'post', `${RUNS}/${(await last(id)).id}/retry`).expect(200);
      const ended = await service.ended(owner, again.id as string);
      expect(ended).toMatchObject({ _status: 'COMPLETED', _createdby: 'owner' });
      expect(ended).not.toHaveProperty('_orchschedule');
      expect(await runsOf(id)).toHaveLength(1);
    });
  });

  it('say so when the orchestrator has lost the step that they were to change', async () => {
    const tasks = [{ _orchcomp: 'ping' }];
    const made = (await service.call(owner, 'post', ORCHESTRATORS).send({ _name: 'Import', _namespaces: [NS], _params: { tasks } }).expect(200)).body as { id: string; orchsteps: { id: string }[] };
    const _actualParams = [{ sequence_type_id: made.orchsteps[0]?.id, params: { a: 1 } }];
    const { _id } = (await service.call(owner, 'post', SCHEDULES).send({ _orchid: made.id, runinterval: '* 30 *', _actualParams }).expect(200)).body as { _id: string };
    await service.call(owner, 'put', `${ORCHESTRATORS}/${made.id}`).send({ _name: 'Import', _namespaces: [NS], _params: { tasks } }).expect(200);
    await bringDue(_id);
    const [run] = await runsOf(_id);
    expect(await service.run(owner, run?.id ?? '')).toMatchObject({ _status: 'ERROR', orchrunsteps: [{ _statusmsg: expect.stringContaining('_actualParams') }] });
  });
});
