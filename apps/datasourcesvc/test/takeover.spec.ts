import { newUuid } from '@twinyard/conventions';
import { type HeldJob, JobStore, LeaseLost } from '@twinyard/jobs';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { eventually } from '@twinyard/testing';
import request from 'supertest';
import type { Component } from '../src/components/component';
import { ping } from '../src/components/ping.component';
import { StepProgress } from '../src/components/step-progress';
import type { RunOrder } from '../src/execution/run-jobs';
import { RunJournal } from '../src/execution/run-journal';
import { RunGone, RunUnderWay } from '../src/execution/run-under-way';
import { jobOf, NS, RUNS, RunningService } from './running-service';
import { untilStopped } from './waiting';

const SEVERAL = { RUN_CONCURRENCY: 4 };
/** Whoever has a run in hand takes no other, and so not its own again. */
const ONE = { RUN_CONCURRENCY: 1 };
/** A machine that stops for seconds does not outlast it; it is renewed every third of it. */
const LEASE_MS = 6_000;

describe('workers on one database', () => {
  let service: RunningService;
  let owner: string;
  const started: { runId: string; by: string }[] = [];
  let release: () => void = () => {};

  const counting = (by: string, run: Component['run']): Component => ({
    ...ping, id: '00000000-0000-4000-8000-000000000003', name: 'work',
    run: (step) => {
      started.push({ runId: step.runId, by });
      return run(step);
    },
  });

  beforeEach(() => {
    started.length = 0;
  });

  afterEach(() => service?.stop());

  const begin = async (run: Component['run'], settings: object) => {
    service = await RunningService.start([ping, counting('first', run)], settings);
    owner = await service.passport.token('owner');
    await service.passport.grant('owner', NS, ['*']);
  };
  const orchestrator = () => service.orchestrator(owner, [{ _orchcomp: 'ping' }, { _orchcomp: 'work' }, { _orchcomp: 'ping' }]);

  it('take a run over from one that died: its step starts again from its progress, finished steps do not, and the dead one writes nothing more', async () => {
    const stuck = new Promise<void>((resolve) => (release = resolve));
    let late: Promise<unknown> = Promise.resolve();
    await begin(async (step) => {
      const made = await new StepProgress(step).once('made', () => Promise.resolve('once'));
      // Neither the signal nor the end of the lease stops this one: it comes back as if nothing had happened.
      late = stuck.then(() => step.saveProgress({ made: 'by the dead' }));
      await late;
      return made;
    }, ONE);
    const { id } = await service.startRun(owner, await orchestrator());
    await eventually(() => started.length === 1);
    await service.addInstance([ping, counting('second', (step) => new StepProgress(step).once('made', () => Promise.resolve('twice')))], ONE);
    await service.silence(id);
    const done = await service.ended(owner, id);
    expect(done).toMatchObject({ _status: 'COMPLETED', orchrunsteps: [{ _status: 'COMPLETED' }, { _status: 'COMPLETED' }, { _status: 'COMPLETED' }] });
    expect(started).toEqual([{ runId: id, by: 'first' }, { runId: id, by: 'second' }]);
    expect(JSON.parse(done._result as string).inparams).toBe('once');
    release();
    await expect(late).rejects.toMatchObject({ cause: expect.any(LeaseLost) });
    expect(await service.run(owner, id)).toEqual(done);
    const messages = (await service.log(owner, id)).map(({ message }) => message);
    expect(messages.filter((message) => message === 'Step 1 "ping" started')).toHaveLength(1);
    expect(messages).toContain('Step 2 "work" started again');
    // QUEUED, RUNNING, COMPLETED: a takeover is no change of state.
    expect(await service.countEvents(id)).toBe(3);
  });

  it('go on with what was prepared when the run began, however often it is looked for since', async () => {
    const prepares = (by: string, run: Component['run']): Component => ({ ...counting(by, run), prepare: async () => ({ by }) });
    const seen: unknown[] = [];
    service = await RunningService.start([ping, prepares('first', untilStopped)], ONE);
    owner = await service.passport.token('owner');
    await service.passport.grant('owner', NS, ['*']);
    const { id } = await service.startRun(owner, await service.orchestrator(owner, [{ _orchcomp: 'work' }, { _orchcomp: 'ping' }, { _orchcomp: 'work' }]));
    await eventually(() => started.length === 1);
    await service.addInstance([ping, prepares('second', async ({ prepared }) => void seen.push(prepared))], ONE);
    await service.silence(id);
    expect(await service.ended(owner, id)).toMatchObject({ _status: 'COMPLETED' });
    expect(seen).toEqual([{ by: 'first' }, { by: 'first' }]);
    expect(await service.query('SELECT 1 FROM orchestrator_run_preparation')).toEqual([]);
  });

  it('begin what another had taken and not begun, and its log says so as any other', async () => {
    let isPreparing = false;
    const preparing: Component = {
      ...counting('first', untilStopped),
      prepare: async (step) => {
        isPreparing = true;
        return untilStopped(step);
      },
    };
    service = await RunningService.start([ping, preparing], ONE);
    owner = await service.passport.token('owner');
    await service.passport.grant('owner', NS, ['*']);
    const { id } = await service.startRun(owner, await service.orchestrator(owner, [{ _orchcomp: 'work' }]));
    await eventually(() => isPreparing);
    await service.addInstance([ping, counting('second', () => Promise.resolve('done'))], ONE);
    await service.silence(id);
    expect(await service.ended(owner, id)).toMatchObject({ _status: 'COMPLETED' });
    expect(started.map(({ by }) => by)).toEqual(['second']);
    expect((await service.log(owner, id)).map(({ message }) => message)).toEqual([
      'Taken over from a worker that fell silent', expect.stringMatching(/^Run of ".+" started$/), 'Step 1 "work" started', 'Step 1 "work" completed', 'Run ended: COMPLETED',
    ]);
  });

  it('never do a run twice, and each keeps its own while its heart beats', async () => {
    const leaseOf = async (runId: string) => (await service.query<{ until: Date }>(`SELECT leased_until AS until FROM job WHERE ${jobOf(runId)}`))[0]?.until.getTime() ?? 0;
    // Until both have some, and the heart has beaten several times: the lease that it was taken with would have ended sooner.
    const work: Component['run'] = async ({ runId }) => {
      const first = await leaseOf(runId);
      await eventually(async () => expect([new Set(started.map(({ by }) => by)).size, (await leaseOf(runId)) - first > LEASE_MS]).toEqual([2, true]));
    };
    const terms = { ...SEVERAL, RUN_LEASE_MS: LEASE_MS };
    await begin(work, terms);
    await service.addInstance([ping, counting('second', work)], terms);
    const id = await orchestrator();
    const runs = await Promise.all(Array.from({ length: 8 }, () => service.startRun(owner, id)));
    for (const run of runs) expect(await service.ended(owner, run.id)).toMatchObject({ _status: 'COMPLETED' });
    expect(started.map(({ runId }) => runId).sort()).toEqual(runs.map((run) => run.id).sort());
    expect(new Set(started.map(({ by }) => by))).toEqual(new Set(['first', 'second']));
  });

  it('tell how many runs none of them has begun', async () => {
    await begin(() => new Promise(() => {}), ONE);
    const waiting = async () => /^runs_waiting (.*)$/m.exec((await request(service.app.getHttpServer()).get('/metrics').expect(200)).text)?.[1];
    expect(await waiting()).toBe('0');
    const id = await orchestrator();
    for (let run = 0; run < 3; run += 1) await service.startRun(owner, id);
    await eventually(async () => expect([started.length, await waiting()]).toEqual([1, '2']));
  });

  it('notice that a run of theirs was cancelled through another', async () => {
    await begin(() => new Promise(() => {}), ONE);
    const { id } = await service.startRun(owner, await orchestrator());
    await eventually(() => started.length === 1);
    const other = await service.addInstance([ping, counting('second', () => Promise.resolve('done'))], ONE);
    await request(other.getHttpServer()).put(`${RUNS}/${id}`).query({ nsfilter: NS }).set('authorization', `Bearer ${owner}`).send({ id }).expect(200);
    expect(await service.ended(owner, id)).toMatchObject({ _status: 'CANCELLED', orchrunsteps: [{ _status: 'COMPLETED' }, { _status: 'CANCELLED' }, { _status: 'CANCELLED' }] });
  });

  it('end a cancelled run that a dead one held', async () => {
    await begin(() => new Promise(() => {}), ONE);
    const { id } = await service.startRun(owner, await orchestrator());
    await eventually(() => started.length === 1);
    await service.addInstance([ping, counting('second', () => Promise.resolve('done'))], ONE);
    await service.query(`UPDATE orchestrator_run_step SET state = 'REQUEST_CANCEL' WHERE run_id = $1 AND state <> 'COMPLETED'`, [id]);
    await service.query(`UPDATE orchestrator_run SET state = 'REQUEST_CANCEL' WHERE id = $1`, [id]);
    await service.silence(id);
    expect(await service.ended(owner, id)).toMatchObject({ _status: 'CANCELLED' });
    expect(started).toHaveLength(1);
  });

  it('let go of their runs when they stop, for another to go on at once', async () => {
    await begin(() => new Promise(() => {}), ONE);
    const { id } = await service.startRun(owner, await orchestrator());
    await eventually(() => started.length === 1);
    await service.addInstance([ping, counting('second', () => Promise.resolve('done'))], ONE);
    await service.app.close();
    service.apps.shift();
    expect(await service.ended(owner, id)).toMatchObject({ _status: 'COMPLETED' });
    expect(started.map(({ by }) => by)).toEqual(['first', 'second']);
    expect((await service.log(owner, id)).map(({ message }) => message)).toContain('Taken over from a worker that was stopped');
  });

  it('give up a run that has lost its worker ten times', async () => {
    await begin(() => new Promise(() => {}), ONE);
    const { id } = await service.startRun(owner, await orchestrator());
    await eventually(() => started.length === 1);
    await service.query(`UPDATE job SET attempts = 11 WHERE ${jobOf(id)}`);
    await service.addInstance([ping, counting('second', () => Promise.resolve('done'))], ONE);
    await service.silence(id);
    expect(await service.ended(owner, id)).toMatchObject({
      _status: 'ERROR', orchrunsteps: [{ _status: 'COMPLETED' }, { _status: 'ERROR', _statusmsg: expect.stringContaining('10 times') }, { _status: 'CANCELLED' }],
    });
    expect(started).toHaveLength(1);
  });

  it('write nothing under an old lease', async () => {
    await begin(() => new Promise(() => {}), ONE);
    const { id, orchrunsteps } = await service.startRun(owner, await orchestrator());
    await eventually(() => started.length === 1);
    const [store, journal] = [service.app.get(JobStore, { strict: false }), service.app.get(RunJournal, { strict: false })];
    const [row] = await service.query<{ id: string; token: string }>(`SELECT id, token FROM job WHERE ${jobOf(id)}`);
    const under = (token: number, runId: string): RunUnderWay => {
      const hold = { id: row?.id ?? '', token };
      const heldOrLost = async (isHeld: Promise<boolean>) => {
        if (!(await isHeld)) throw new LeaseLost(hold.id);
      };
      const job: Pick<HeldJob<RunOrder, TypeOrmTx>, 'payload' | 'signal' | 'hold' | 'finish'> = {
        payload: { runId }, signal: new AbortController().signal,
        hold: (tx) => heldOrLost(store.hold(tx, hold, 15_000)), finish: (tx) => heldOrLost(store.finish(tx, hold)),
      };
      return new RunUnderWay(job as HeldJob<RunOrder, TypeOrmTx>);
    };
    const old = under(Number(row?.token) - 1, id);
    const stepId = orchrunsteps[1]?.id ?? '';
    for (const write of [
      () => journal.begin(old), () => journal.startStep(old, stepId), () => journal.completeStep(old, stepId, 1), () => journal.failStep(old, stepId, 'x'),
      () => journal.cancel(old), () => journal.saveProgress(old, stepId, {}), () => journal.log(old, [{ level: 'info', message: 'x' }]),
    ]) await expect(write()).rejects.toBeInstanceOf(LeaseLost);
    await expect(journal.log(under(Number(row?.token), newUuid()), [{ level: 'info', message: 'x' }])).rejects.toBeInstanceOf(RunGone);
    expect((await service.run(owner, id))._status).toBe('RUNNING');
    await service.call(owner, 'delete', `${RUNS}/${id}`).expect(204);
  });

  it('take over what has no job: a run that a replica of the release before has left, or one whose job went with a namespace', async () => {
    await begin(() => new Promise(() => {}), ONE);
    const busy = await service.startRun(owner, await orchestrator());
    await eventually(() => started.length === 1);
    const left = await service.startRun(owner, await orchestrator());
    const lost = await service.startRun(owner, await orchestrator());
    for (const { id } of [left, lost]) await service.query(`DELETE FROM job WHERE ${jobOf(id)}`);
    await service.query('UPDATE orchestrator_run SET lease_until = NULL WHERE id = $1', [left.id]);
    await service.addInstance([ping, counting('second', () => Promise.resolve('done'))], ONE);
    for (const { id } of [left, lost]) expect(await service.ended(owner, id)).toMatchObject({ _status: 'COMPLETED' });
    expect((await service.run(owner, busy.id))._status).toBe('RUNNING');
    expect(started.map(({ by }) => by)).toEqual(['first', 'second', 'second']);
  });
});
