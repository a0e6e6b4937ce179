import { invalid } from '@twinyard/conventions';
import { eventually } from '@twinyard/testing';
import type { Component } from '../src/components/component';
import { ping } from '../src/components/ping.component';
import { PlatformError } from '../src/platform-client/platform-error';
import { jobOf, NS, RUNS, RunningService } from './running-service';
import { untilStopped } from './waiting';

const AT_ONCE = '0 0 0';
const IN_AN_HOUR = '1 0 0';
const notNow = () => new PlatformError('not now', 503, 'unavailable');

describe('what a step has left half done', () => {
  let service: RunningService;
  let owner: string;
  /** What the component does next, and what it has heard. */
  let work: Component['run'];
  let undo: NonNullable<Component['undo']>;
  let undone: unknown[] = [];

  const builds: Component = {
    ...ping, id: '00000000-0000-4000-8000-000000000002', name: 'builds',
    run: async (step) => {
      await step.saveProgress({ made: 'half' });
      return work(step);
    },
    undo: async (step) => {
      undone.push(step.progress);
      await undo(step);
    },
  };

  beforeAll(async () => {
    service = await RunningService.start([ping, builds], { RUN_CONCURRENCY: 1 });
    owner = await service.passport.token('owner');
    await service.passport.grant('owner', NS, ['*']);
  });
  beforeEach(() => {
    [undone, work, undo] = [[], untilStopped, async () => undefined];
  });
  afterAll(() => service?.stop());

  const start = async (task: object = {}, more: object = {}) => service.startRun(owner, await service.orchestrator(owner, [{ _orchcomp: 'builds', ...task }], more));
  const cancel = (id: string) => service.call(owner, 'put', `${RUNS}/${id}`).send({ id }).expect(200);
  const isAtWork = (id: string) => eventually(async () => expect(await service.query('SELECT 1 FROM orchestrator_run_step WHERE run_id = $1 AND progress IS NOT NULL', [id])).toHaveLength(1));
  const isWaiting = (id: string) => eventually(async () => expect(await service.query('SELECT 1 FROM orchestrator_run_step WHERE run_id = $1 AND retry_at IS NOT NULL', [id])).toHaveLength(1));
  const messages = async (id: string) => (await service.log(owner, id)).map(({ message }) => message);

  it('is taken back before its run is cancelled, by what it has saved', async () => {
    const { id } = await start();
    await isAtWork(id);
    let stateThen: unknown;
    undo = async () => {
      stateThen = (await service.run(owner, id))._status;
    };
    await cancel(id);
    expect(await service.ended(owner, id)).toMatchObject({ _status: 'CANCELLED' });
    expect([undone, stateThen]).toEqual([[{ made: 'half' }], 'REQUEST_CANCEL']);
  });

  it('is taken back when the step fails for good, or its run is over its time', async () => {
    work = () => Promise.reject(invalid('no such thing'));
    const failed = await start();
    expect(await service.ended(owner, failed.id)).toMatchObject({ _status: 'ERROR', orchrunsteps: [{ _statusmsg: 'no such thing' }] });
    work = untilStopped;
    const late = await start({}, { _timeout: '* * 1' });
    expect(await service.ended(owner, late.id)).toMatchObject({ _status: 'ERROR' });
    expect(undone).toEqual([{ made: 'half' }, { made: 'half' }]);
  });

  it('stays for the next attempt, and is taken back behind the last', async () => {
    const seen: unknown[] = [];
    work = async () => {
      seen.push(undone.length);
      throw notNow();
    };
    const { id } = await start({ _retry: { _max: 1, _backoff: AT_ONCE } });
    expect(await service.ended(owner, id)).toMatchObject({ _status: 'ERROR' });
    expect([seen, undone]).toEqual([[0, 0], [{ made: 'half' }]]);
  });

  it('is taken back by a worker when the run is cancelled while its step waits to be tried again', async () => {
    work = () => Promise.reject(notNow());
    const { id } = await start({ _retry: { _max: 1, _backoff: IN_AN_HOUR } });
    await isWaiting(id);
    await cancel(id);
    expect(await service.ended(owner, id)).toMatchObject({ _status: 'CANCELLED', orchrunsteps: [{ _status: 'CANCELLED' }] });
    expect(undone).toEqual([{ made: 'half' }]);
  });

  it('is taken back by who takes over from a worker that died after the cancel', async () => {
    let cameLate: Promise<unknown> | undefined;
    const { id } = await start();
    await isAtWork(id);
    // The first to take it back does not come to an end.
    let release: () => void = () => undefined;
    undo = (step) => {
      if (undone.length > 1) return Promise.resolve();
      cameLate = new Promise<void>((resolve) => (release = resolve)).then(() => step.saveProgress(null));
      return cameLate as Promise<void>;
    };
    await cancel(id);
    await eventually(() => undone.length === 1);
    await service.addInstance([ping, builds], { RUN_CONCURRENCY: 1 });
    await service.silence(id);
    expect(await service.ended(owner, id)).toMatchObject({ _status: 'CANCELLED' });
    expect(undone).toHaveLength(2);
    release();
    await expect(cameLate).rejects.toThrow();
  });

  /** The worker of a run, at this attempt of it: the next one is made by another process. */
  const fallSilent = async (id: string, attempts: number) => {
    await service.query(`UPDATE job SET attempts = ${attempts} WHERE ${jobOf(id)}`);
    await service.addInstance([ping, builds], { RUN_CONCURRENCY: 1 });
    await service.silence(id);
    return service.ended(owner, id);
  };
  const givenUp = { _status: 'ERROR', orchrunsteps: [{ _status: 'ERROR', _statusmsg: 'Given up: the run was taken over 10 times, and lost each of its workers' }] };

  it('is taken back before its run is given up', async () => {
    const { id } = await start();
    await isAtWork(id);
    expect(await fallSilent(id, 11)).toMatchObject(givenUp);
    expect(undone).toEqual([{ made: 'half' }]);
  });

  it('may stay where whoever takes it back falls silent too, which the log says', async () => {
    const { id } = await start();
    await isAtWork(id);
    expect(await fallSilent(id, 12)).toMatchObject(givenUp);
    expect(undone).toEqual([]);
    expect(await messages(id)).toContain('What the step "builds" has begun may still be there');
  });

  it('stays where it cannot be taken back, which the log says, and the run ends', async () => {
    undo = () => Promise.reject(new PlatformError('itemsvc: no rights to DELETE', 403, 'forbidden'));
    const { id } = await start();
    await isAtWork(id);
    await cancel(id);
    expect(await service.ended(owner, id)).toMatchObject({ _status: 'CANCELLED' });
    expect(await messages(id)).toContain('What the step "builds" has begun is still there: itemsvc: no rights to DELETE');
  });

  it('is taken back when its run is deleted', async () => {
    let isUndone = false;
    undo = async (step) => {
      await step.saveProgress({ made: 'less' });
      await step.log('info', 'taken back');
      isUndone = true;
    };
    const { id } = await start();
    await isAtWork(id);
    await service.call(owner, 'delete', `${RUNS}/${id}`).expect(204);
    await eventually(() => isUndone);
    expect(undone).toEqual([{ made: 'half' }]);
    const next = await start();
    await isAtWork(next.id);
    await cancel(next.id);
    await service.ended(owner, next.id);
  });

  it('is nothing of a step that was completed, nor of one that was never begun', async () => {
    work = async () => 'done';
    const { id } = await start();
    expect(await service.ended(owner, id)).toMatchObject({ _status: 'COMPLETED' });
    expect(undone).toEqual([]);
  });
});
