import { Injectable } from '@nestjs/common';
import { Outbox } from '@twinyard/events';
import { type TypeOrmTx, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import type { LogLine, StepReport } from '../components/step-context';
import { RunQueue } from '../run-queue/run-queue';
import { Run } from '../runs/run.entity';
import { isFinal, moveTo, type RunInput } from '../runs/run-state';
import type { RunStep } from '../runs/run-step.entity';
import { runUpdated } from '../runs/runs.events';
import { RunsRepository } from '../runs/runs.repository';
import { waitBeforeNext } from '../step-terms/step-terms';
import type { Beginning, BegunRun } from './beginning/begun-run';
import { PreparedSteps } from './beginning/prepared-steps';
import { type HeldRun, HeldRunsRepository } from './held-runs.repository';
import { MAX_TAKEOVERS } from './run-jobs';
import type { RunUnderWay } from './run-under-way';

/** Who makes room wakes it before; this is for a run that came while it was made. */
const WAITING_MS = 60_000;

/** Text that PostgreSQL takes, of a bounded length. */
const storable = (text: string) => text.replaceAll('\0', '').toWellFormed().slice(0, 4_000);

/** Writes down what becomes of a run: each change of state with its log record and its event, under the lease of the run's job. */
@Injectable()
export class RunJournal {
  constructor(
    private readonly held: HeldRunsRepository,
    private readonly runs: RunsRepository,
    private readonly queue: RunQueue,
    private readonly unitOfWork: TypeOrmUnitOfWork,
    private readonly outbox: Outbox,
  ) {}

  /** `waits`: for room beside others of its orchestrator, or for the next attempt at a step that has failed; its job goes on then. */
  begin(held: RunUnderWay): Promise<BegunRun | 'ended' | 'waits'> {
    return this.change(held, async (tx, run, steps) => {
      if (isFinal(run.state)) return 'ended';
      if (run.state === 'REQUEST_CANCEL') return { run, steps, isCancelled: true, isFirst: false };
      const retryAt = steps.find((step) => step.retryAt !== null)?.retryAt;
      const waitMs = run.state === 'QUEUED' ? await this.waitForRoom(tx, run) : (retryAt?.getTime() ?? 0) - Date.now();
      if (waitMs > 0) {
        await held.job.continueWith(tx, held.job.payload, waitMs);
        return 'waits';
      }
      const isFirst = run.state === 'QUEUED';
      if (isFirst) await this.moveRun(tx, Object.assign(run, { startedAt: new Date() }), 'start');
      else if (!retryAt) await this.held.appendLog(tx, run.id, 'warn', takenOver(held));
      return { run, steps, isCancelled: false, isFirst };
    });
  }

  /** What was kept when the run began. */
  async preparedBefore({ runId }: RunUnderWay): Promise<PreparedSteps | undefined> {
    const text = await this.held.preparedText(runId);
    return text === undefined ? undefined : PreparedSteps.parse(text);
  }

  /** Behind the lines of its beginning in the log. False: the run is to be cancelled, or has been while nobody held it. */
  startStep(held: RunUnderWay, stepId: string, { lines, keep }: Beginning = { lines: [] }): Promise<boolean> {
    return this.change(held, async (tx, run, steps) => {
      await this.appendLines(tx, run, lines);
      if (keep !== undefined) await this.held.savePrepared(tx, run.id, keep);
      return this.startIfWanted(tx, run, stepOf(steps, stepId));
    });
  }

  /** The next one starts with it, as by `startStep`; with the last its run is complete. */
  completeStep(held: RunUnderWay, stepId: string, result: unknown, nextId?: string): Promise<boolean> {
    return this.change(held, async (tx, run, steps) => {
      const step = stepOf(steps, stepId);
      await this.moveStep(tx, Object.assign(step, { result }), 'complete');
      await this.held.appendLog(tx, run.id, 'info', `Step ${step.sequenceNo} "${step.name}" completed`);
      if (nextId !== undefined) return this.startIfWanted(tx, run, stepOf(steps, nextId));
      await this.end(tx, Object.assign(run, { result }), 'complete');
      await held.job.finish(tx);
      return false;
    });
  }

  failStep(held: RunUnderWay, stepId: string, message: string): Promise<void> {
    return this.change(held, async (tx, run, steps) => {
      await this.fail(tx, { run, steps }, stepOf(steps, stepId), message);
      await held.job.finish(tx);
    });
  }

  /** Has the step tried again, if it may be: later, by the same job, which no worker holds until then. */
  retryStep(held: RunUnderWay, stepId: string, message: string): Promise<boolean> {
    return this.change(held, async (tx, run, steps) => {
      const step = stepOf(steps, stepId);
      const waitMs = run.state === 'RUNNING' ? waitBeforeNext(step.retry, step.attempts) : undefined;
      if (waitMs === undefined) return false;
      const delayMs = Math.min(waitMs, timeLeft(run));
      await this.held.saveStep(tx, Object.assign(step, { statusMessage: storable(message), retryAt: new Date(Date.now() + delayMs) }));
      await this.held.appendLog(tx, run.id, 'warn', storable(`Step ${step.sequenceNo} "${step.name}" failed and is tried again in ${Math.ceil(delayMs / 1_000)} s: ${message}`));
      await held.job.continueWith(tx, held.job.payload, delayMs);
      return true;
    });
  }

  cancel(held: RunUnderWay): Promise<void> {
    return this.change(held, async (tx, run, steps) => {
      if (!isFinal(run.state)) await this.stop(tx, run, steps);
      await held.job.finish(tx);
    });
  }

  /** Ends a run that is to be cancelled and that nobody holds; its job will find that it has ended. */
  async cancelUnheld(tx: TypeOrmTx, run: Run): Promise<void> {
    await this.stop(tx, Object.assign(new Run(), run), await this.held.steps(tx, run.id));
  }

  /** Ends a run whose workers have all fallen silent or failed. Called by one more, which has taken back what they left. */
  giveUp(held: RunUnderWay): Promise<void> {
    return this.change(held, async (tx, run, steps) => {
      if (!isFinal(run.state)) await this.abandon(tx, { run, steps });
      await held.job.finish(tx);
    });
  }

  /** The same when that one has fallen silent too. */
  async giveUpUnheld(tx: TypeOrmTx, runId: string): Promise<void> {
    const run = await this.runs.lock(tx, runId);
    if (run === undefined || isFinal(run.state)) return;
    const steps = await this.held.steps(tx, runId);
    const begun = steps.find(({ state }) => state === 'RUNNING' || state === 'REQUEST_CANCEL');
    if (begun !== undefined) await this.held.appendLog(tx, runId, 'warn', storable(`What the step "${begun.name}" has begun may still be there`));
    await this.abandon(tx, { run, steps });
  }

  saveProgress(held: RunUnderWay, stepId: string, progress: unknown): Promise<void> {
    return this.write(held, (tx) => this.held.hold(tx, held), (tx) => this.held.saveProgress(tx, stepId, progress));
  }

  report(held: RunUnderWay, stepId: string, report: StepReport): Promise<void> {
    return this.write(held, (tx) => this.held.hold(tx, held), (tx) => this.held.saveReport(tx, stepId, report));
  }

  log(held: RunUnderWay, lines: readonly LogLine[]): Promise<void> {
    return this.write(held, (tx) => this.held.hold(tx, held), (tx, run) => this.appendLines(tx, run, lines));
  }

  private change<T>(held: RunUnderWay, work: (tx: TypeOrmTx, run: Run, steps: readonly RunStep[]) => Promise<T>): Promise<T> {
    return this.write(held, (tx) => this.held.holdWithSteps(tx, held), (tx, { run, steps }) => work(tx, run, steps));
  }

  /** With it goes what the run has used since the write before. */
  private async write<H, T>(held: RunUnderWay, hold: (tx: TypeOrmTx) => Promise<H>, work: (tx: TypeOrmTx, run: H) => Promise<T>): Promise<T> {
    const used = held.usage.take();
    try {
      return await this.unitOfWork.run(async (tx) => {
        const run = await hold(tx);
        if (used) await this.held.addUsage(tx, held.runId, used);
        return work(tx, run);
      });
    } catch (error) {
      if (used) held.usage.giveBack(used);
      throw error;
    }
  }

  private async appendLines(tx: TypeOrmTx, run: Run, lines: readonly LogLine[]): Promise<void> {
    if (lines.length > 0) await this.held.appendLines(tx, run.id, lines.map(({ level, message }) => ({ level, message: storable(message) })));
  }

  private async waitForRoom(tx: TypeOrmTx, run: Run): Promise<number> {
    return (await this.queue.mustWait(tx, run)) ? WAITING_MS : 0;
  }

  private async startIfWanted(tx: TypeOrmTx, run: Run, step: RunStep): Promise<boolean> {
    if (run.state === 'REQUEST_CANCEL' || isFinal(run.state)) return false;
    const again = step.state === 'RUNNING' && step.retryAt === null;
    if (!again) Object.assign(step, { attempts: step.attempts + 1, retryAt: null, statusMessage: '' });
    await this.moveStep(tx, step, 'start');
    await this.held.appendLog(tx, run.id, 'info', `Step ${step.sequenceNo} "${step.name}" started${again ? ' again' : ''}${step.attempts > 1 ? `, attempt ${step.attempts}` : ''}`);
    return true;
  }

  private async moveStep(tx: TypeOrmTx, step: RunStep, input: RunInput): Promise<void> {
    await this.held.saveStep(tx, Object.assign(step, { state: moveTo(step.state, input) }));
  }

  private async stopSteps(tx: TypeOrmTx, steps: readonly RunStep[]): Promise<void> {
    for (const step of steps.filter(({ state }) => !isFinal(state))) {
      step.state = moveTo(step.state, 'requestCancel');
      await this.moveStep(tx, step, 'stop');
    }
  }

  /** Steps after it will not run. */
  private async fail(tx: TypeOrmTx, { run, steps }: HeldRun, step: RunStep, message: string): Promise<void> {
    await this.moveStep(tx, Object.assign(step, { statusMessage: storable(message) }), 'fail');
    await this.stopSteps(tx, steps);
    await this.held.appendLog(tx, run.id, 'error', storable(`Step ${step.sequenceNo} "${step.name}" failed: ${message}`));
    await this.end(tx, run, 'fail');
  }

  private async abandon(tx: TypeOrmTx, { run, steps }: HeldRun): Promise<void> {
    if (run.state !== 'RUNNING') return this.stop(tx, Object.assign(run, { state: 'REQUEST_CANCEL' }), steps);
    const step = steps.find(({ state }) => !isFinal(state)) as RunStep;
    await this.moveStep(tx, step, 'start');
    await this.fail(tx, { run, steps }, step, `Given up: the run was taken over ${MAX_TAKEOVERS} times, and lost each of its workers`);
  }

  private async moveRun(tx: TypeOrmTx, run: Run, input: RunInput): Promise<void> {
    const changed = Object.assign(run, { state: moveTo(run.state, input), updatedAt: new Date() });
    await this.held.saveRun(tx, changed);
    await this.outbox.append(tx, runUpdated(changed));
  }

  private async stop(tx: TypeOrmTx, run: Run, steps: readonly RunStep[]): Promise<void> {
    await this.stopSteps(tx, steps);
    await this.end(tx, run, 'stop');
  }

  private async end(tx: TypeOrmTx, run: Run, input: 'complete' | 'fail' | 'stop'): Promise<void> {
    await this.held.appendLog(tx, run.id, input === 'fail' ? 'error' : 'info', `Run ended: ${moveTo(run.state, input)}`);
    await this.moveRun(tx, run, input);
    await this.held.dropPrepared(tx, run.id);
    await this.queue.hasRoom(tx, run.orchestratorId);
  }
}

const takenOver = ({ job }: RunUnderWay) => (job.attempt > 1 ? 'Taken over from a worker that fell silent' : 'Taken over from a worker that was stopped');

/** A run that is over its time ends then, and not when it would be the turn of its step. */
const timeLeft = ({ timeoutMs, startedAt }: Run) => (timeoutMs === null || startedAt === null ? Number.POSITIVE_INFINITY : Math.max(0, startedAt.getTime() + timeoutMs - Date.now()));

function stepOf(steps: readonly RunStep[], id: string): RunStep {
  const step = steps.find((candidate) => candidate.id === id);
  if (step === undefined) throw new Error(`The run has no step ${id}`);
  return step;
}
