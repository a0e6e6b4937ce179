import { forbidden } from '@twinyard/conventions';
import { eventually } from '@twinyard/testing';
import type { Component } from '../src/components/component';
import { ping } from '../src/components/ping.component';
import { StepProgress } from '../src/components/step-progress';
import { NS, ORCHESTRATORS, RUNS, RunningService } from './running-service';

/** Failures that are to come, by run; then it completes. */
let failures: Error[] = [];
const begun: string[] = [];

const breaks: Component = {
  ...ping, id: '00000000-0000-4000-8000-000000000001', name: 'breaks',
  run: async (step) => {
    begun.push(step.runId);
    const made = await new StepProgress(step).once('made', () => Promise.resolve(begun.length));
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
    return { made };
  },
};
/** Ends when it is stopped, and not before. */
const waits: Component = {
  ...ping, id: '00000000-0000-4000-8000-000000000002', name: 'waits',
  run: ({ signal, runId }) => new Promise((_, reject) => {
    begun.push(runId);
    signal.addEventListener('abort', () => reject(new Error('told to stop')));
  }),
};
const AT_ONCE = '* * *';
const IN_AN_HOUR = '1 * *';
const inside = () => new Error('the store is away');

describe('a step that is tried again', () => {
  let service: RunningService;
  let owner: string;

  beforeAll(async () => {
    service = await RunningService.start([ping, breaks, waits], { RUN_CONCURRENCY: 1 });
    owner = await service.passport.token('owner');
    await service.passport.grant('owner', NS, ['*']);
  });
  beforeEach(() => {
    failures = [];
    begun.length = 0;
  });
  afterAll(() => service?.stop());

  const start = async (task: object, changes: object = {}) => service.startRun(owner, await service.orchestrator(owner, [{ _orchcomp: 'breaks', ...task }, { _orchcomp: 'ping' }], changes));
  const messages = async (id: string) => (await service.log(owner, id)).map(({ message }) => String(message));
  const isWaiting = async (id: string) => {
    const [step] = (await service.run(owner, id)).orchrunsteps;
    expect(step).toMatchObject({ _status: 'RUNNING', _statusmsg: expect.stringMatching(/./) });
  };

  it('goes on from what it has saved, as often as it is told to, and shows its attempts', async () => {
    failures = [inside(), inside()];
    const { id } = await start({ _retry: { _max: 2, _backoff: AT_ONCE } });
    const done = await service.ended(owner, id);
    expect(done).toMatchObject({ _status: 'COMPLETED', orchrunsteps: [{ _status: 'COMPLETED', _attempts: 3, _statusmsg: '' }, { _status: 'COMPLETED', _attempts: 1 }] });
    expect(JSON.parse(done._result as string)).toMatchObject({ inparams: { made: 1 } });
    expect(begun).toEqual([id, id, id]);
    const told = await messages(id);
    expect(told.filter((message) => message.includes('is tried again in 0 s'))).toHaveLength(2);
    expect(told).toEqual(expect.arrayContaining(['Step 1 "breaks" started', 'Step 1 "breaks" started, attempt 2', 'Step 1 "breaks" started, attempt 3']));
    expect(told.filter((message) => message.startsWith('Taken over'))).toEqual([]);
    // QUEUED, RUNNING, COMPLETED: another attempt is no change of state.
    expect(await service.countEvents(id)).toBe(3);
  });

  it('fails its run when the attempts are used up, or without any', async () => {
    failures = [inside(), inside(), inside()];
    const { id } = await start({ _retry: { _max: 1, _backoff: AT_ONCE } });
    expect(await service.ended(owner, id)).toMatchObject({ _status: 'ERROR', orchrunsteps: [{ _status: 'ERROR', _attempts: 2 }, { _status: 'CANCELLED', _attempts: 0 }] });
    const plain = await start({});
    expect(await service.ended(owner, plain.id)).toMatchObject({ _status: 'ERROR', orchrunsteps: [{ _status: 'ERROR', _attempts: 1 }, {}] });
  });

  it('is not begun again when it was refused for good, unless it is told so', async () => {
    failures = [forbidden(), forbidden()];
    const { id } = await start({ _retry: { _max: 3, _backoff: AT_ONCE } });
    expect(await service.ended(owner, id)).toMatchObject({ _status: 'ERROR', orchrunsteps: [{ _attempts: 1 }, {}] });
    const any = await start({ _retry: { _max: 3, _backoff: AT_ONCE, _on: 'ANY' } });
    expect(await service.ended(owner, any.id)).toMatchObject({ _status: 'COMPLETED', orchrunsteps: [{ _attempts: 2 }, {}] });
  });

  it('holds no worker while it waits, says why, and goes on when it is time', async () => {
    failures = [inside()];
    const { id } = await start({ _retry: { _max: 1, _backoff: IN_AN_HOUR } });
    await eventually(() => isWaiting(id));
    const other = await start({});
    expect(await service.ended(owner, other.id)).toMatchObject({ _status: 'COMPLETED' });
    expect(await service.run(owner, id)).toMatchObject({ _status: 'RUNNING', orchrunsteps: [{ _attempts: 1 }, { _status: 'QUEUED' }] });
    await service.hasten(id);
    expect(await service.ended(owner, id)).toMatchObject({ _status: 'COMPLETED', orchrunsteps: [{ _attempts: 2, _statusmsg: '' }, {}] });
  });

  it('waits on where its job is woken before it is time', async () => {
    failures = [inside()];
    const { id } = await start({ _retry: { _max: 1, _backoff: IN_AN_HOUR } });
    await eventually(() => isWaiting(id));
    await service.query(`UPDATE job SET state = 'READY', due_at = clock_timestamp() WHERE id LIKE '% ${id}' RETURNING pg_notify('jobs', kind)`);
    await eventually(async () => expect(await service.query(`SELECT 1 FROM job WHERE id LIKE '% ${id}' AND state = 'WAITING' AND due_at > clock_timestamp() + interval '30 min'`)).toHaveLength(1));
    expect(begun).toEqual([id]);
    await service.call(owner, 'delete', `${RUNS}/${id}`).expect(204);
  });

  it.each(['cancelled', 'over its time'])('ends with its run, also while it waits, when that is %s', async (how) => {
    failures = [inside()];
    const { id } = await start({ _retry: { _max: 1, _backoff: IN_AN_HOUR } }, how === 'cancelled' ? {} : { _timeout: '* * 1' });
    if (how === 'cancelled') {
      await eventually(() => isWaiting(id));
      await service.call(owner, 'put', `${RUNS}/${id}`).send({ id }).expect(200);
      // Nobody holds it who would have to notice.
      expect(await service.run(owner, id)).toMatchObject({ _status: 'CANCELLED' });
    }
    const ended = await service.ended(owner, id);
    expect(ended).toMatchObject(how === 'cancelled'
      ? { _status: 'CANCELLED', orchrunsteps: [{ _status: 'CANCELLED' }, { _status: 'CANCELLED' }] }
      : { _status: 'ERROR', orchrunsteps: [{ _status: 'ERROR', _statusmsg: 'The run took longer than its time limit' }, { _status: 'CANCELLED' }] });
    expect(begun).toEqual([id]);
  });

  it('is cancelled once, also in the moment in which its next attempt begins', async () => {
    const { id } = await start({ _orchcomp: 'waits' });
    await eventually(() => begun.includes(id));
    // So a worker has it that is about to begin an attempt.
    await service.query('UPDATE orchestrator_run_step SET retry_at = clock_timestamp() WHERE run_id = $1 AND position = 0', [id]);
    await service.call(owner, 'put', `${RUNS}/${id}`).send({ id }).expect(200);
    await eventually(async () => expect(await service.query(`SELECT 1 FROM job WHERE id LIKE '% ${id}'`)).toEqual([]));
    expect(await service.run(owner, id)).toMatchObject({ _status: 'CANCELLED', orchrunsteps: [{ _status: 'CANCELLED' }, { _status: 'CANCELLED' }] });
    expect((await messages(id)).filter((message) => message.startsWith('Run ended'))).toEqual(['Run ended: CANCELLED']);
    // QUEUED, RUNNING, REQUEST_CANCEL, CANCELLED.
    expect(await service.countEvents(id)).toBe(4);
  });

  it('ends when it has had its own time, and is tried again then', async () => {
    const { id } = await start({ _orchcomp: 'waits', _timeout: '* * 1', _retry: { _max: 1, _backoff: AT_ONCE } });
    expect(await service.ended(owner, id)).toMatchObject({ _status: 'ERROR', orchrunsteps: [{ _statusmsg: 'The step took longer than its time limit', _attempts: 2 }, { _status: 'CANCELLED' }] });
    expect(begun).toEqual([id, id]);
  });

  it('has terms that are checked with the task and stay with it', async () => {
    const tasks = [{ _orchcomp: 'ping', _retry: { _max: 3, _backoff: '* * 30', _on: 'ANY' }, _timeout: '0 10 0' }, { _orchcomp: 'ping' }];
    const id = await service.orchestrator(owner, tasks);
    const { body: made } = await service.call(owner, 'get', `${ORCHESTRATORS}/${id}`).expect(200);
    expect(made.orchsteps[0]).toMatchObject({ _retry: { _max: 3, _backoff: '* * 30', _on: 'ANY' }, _timeout: '0 10 0' });
    expect(made.orchsteps[1]).not.toHaveProperty('_retry');
    const { body: changed } = await service.call(owner, 'put', `${ORCHESTRATORS}/${id}`).send(made).expect(200);
    expect(changed.orchsteps).toEqual(made.orchsteps);
    const { body: refused } = await service.call(owner, 'post', ORCHESTRATORS).send({ _name: 'X', _namespaces: [NS], _params: { tasks: [{ _orchcomp: 'ping', _retry: { _max: 11, _backoff: 'soon' }, _timeout: 7 }] } }).expect(400);
    expect(refused.details.map(({ field }: { field: string }) => field)).toEqual(['_params.tasks[0]._retry._backoff', '_params.tasks[0]._retry._max', '_params.tasks[0]._timeout']);
  });
});
