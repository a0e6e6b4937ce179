import { Injectable } from '@nestjs/common';
import { Outbox } from '@twinyard/events';
import { type TypeOrmTx, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import type { LogLevel, StepReport } from '../components/step-context';
import type { Run } from '../runs/run.entity';
import { isFinal, moveTo, type RunInput } from '../runs/run-state';
import type { RunStep } from '../runs/run-step.entity';
import { runUpdated } from '../runs/runs.events';
import { HeldRunsRepository } from './held-runs.repository';
import type { LeaseKey } from './run-lease';

export interface HeldRun {
  readonly run: Run;
  readonly steps: readonly RunStep[];
}

/** A run that kills its workers would go on killing them. */
const MAX_TAKEOVERS = 10;

/** Text that PostgreSQL takes, of a bounded length. */
const storable = (text: string) => text.replaceAll('\0', '').toWellFormed().slice(0, 4_000);

/** Writes down what becomes of a run: each change of state with its log record and its event, under the lease that is named first. */
@Injectable()
export class RunJournal {
  constructor(
    private readonly held: HeldRunsRepository,
    private readonly unitOfWork: TypeOrmUnitOfWork,
    private readonly outbox: Outbox,
  ) {}

  begin(key: LeaseKey): Promise<HeldRun | 'cancel' | 'ended'> {
    return this.change(key, async (tx, run, steps) => {
      if (run.state === 'REQUEST_CANCEL') return 'cancel';
      const isNew = run.state === 'QUEUED';
      if (isNew) await this.moveRun(tx, Object.assign(run, { startedAt: new Date() }), 'start');
      await this.held.appendLog(tx, run.id, isNew ? 'info' : 'warn', isNew ? `Run of "${run.name}" started` : 'Taken over from a worker that fell silent');
      if (isNew || (await this.held.countTakeover(tx, run.id)) <= MAX_TAKEOVERS) return { run, steps };
      const step = steps.find(({ state }) => !isFinal(state)) as RunStep;
      await this.moveStep(tx, step, 'start');
      await this.fail(tx, { key, run, steps }, step, `Given up: the run lost its worker ${MAX_TAKEOVERS} times`);
      return 'ended';
    });
  }

  /** False: the run is to be cancelled. */
  startStep(key: LeaseKey, stepId: string): Promise<boolean> {
    return this.change(key, async (tx, run, steps) => {
      if (run.state === 'REQUEST_CANCEL') return false;
      const step = stepOf(steps, stepId);
      const again = step.state === 'RUNNING';
      await this.moveStep(tx, step, 'start');
      await this.held.appendLog(tx, run.id, 'info', `Step ${step.sequenceNo} "${step.name}" started${again ? ' again' : ''}`);
      return true;
    });
  }

  /** With the last step its run is complete. */
  completeStep(key: LeaseKey, stepId: string, result: unknown): Promise<void> {
    return this.change(key, async (tx, run, steps) => {
      const step = stepOf(steps, stepId);
      await this.moveStep(tx, Object.assign(step, { result }), 'complete');
      await this.held.appendLog(tx, run.id, 'info', `Step ${step.sequenceNo} "${step.name}" completed`);
      if (step !== steps.at(-1)) return;
      await this.end(tx, key, Object.assign(run, { result }), 'complete');
    });
  }

  failStep(key: LeaseKey, stepId: string, message: string): Promise<void> {
    return this.change(key, (tx, run, steps) => this.fail(tx, { key, run, steps }, stepOf(steps, stepId), message));
  }

  cancel(key: LeaseKey): Promise<void> {
    return this.change(key, async (tx, run, steps) => {
      await this.stopSteps(tx, steps);
      await this.end(tx, key, run, 'stop');
    });
  }

  saveProgress(key: LeaseKey, stepId: string, progress: unknown): Promise<void> {
    return this.change(key, (tx) => this.held.saveProgress(tx, stepId, progress));
  }

  report(key: LeaseKey, stepId: string, report: StepReport): Promise<void> {
    return this.change(key, (tx) => this.held.saveReport(tx, stepId, report));
  }

  log(key: LeaseKey, level: LogLevel, message: string): Promise<void> {
    return this.change(key, (tx, run) => this.held.appendLog(tx, run.id, level, storable(message)));
  }

  /** The run goes on elsewhere, from where it is. */
  release(key: LeaseKey): Promise<void> {
    return this.unitOfWork.run((tx) => this.held.release(tx, key));
  }

  private change<T>(key: LeaseKey, work: (tx: TypeOrmTx, run: Run, steps: readonly RunStep[]) => Promise<T>): Promise<T> {
    return this.unitOfWork.run(async (tx) => {
      const run = await this.held.hold(tx, key);
      return work(tx, run, await this.held.steps(tx, run.id));
    });
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
  private async fail(tx: TypeOrmTx, { key, run, steps }: HeldRun & { readonly key: LeaseKey }, step: RunStep, message: string): Promise<void> {
    await this.moveStep(tx, Object.assign(step, { statusMessage: storable(message) }), 'fail');
    await this.stopSteps(tx, steps);
    await this.held.appendLog(tx, run.id, 'error', storable(`Step ${step.sequenceNo} "${step.name}" failed: ${message}`));
    await this.end(tx, key, run, 'fail');
  }

  private async moveRun(tx: TypeOrmTx, run: Run, input: RunInput): Promise<void> {
    const changed = Object.assign(run, { state: moveTo(run.state, input), updatedAt: new Date() });
    await this.held.saveRun(tx, changed);
    await this.outbox.append(tx, runUpdated(changed));
  }

  private async end(tx: TypeOrmTx, key: LeaseKey, run: Run, input: 'complete' | 'fail' | 'stop'): Promise<void> {
    const state = moveTo(run.state, input);
    await this.held.appendLog(tx, run.id, input === 'fail' ? 'error' : 'info', `Run ended: ${state}`);
    await this.held.release(tx, key);
    await this.moveRun(tx, run, input);
  }
}

function stepOf(steps: readonly RunStep[], id: string): RunStep {
  const step = steps.find((candidate) => candidate.id === id);
  if (step === undefined) throw new Error(`The run has no step ${id}`);
  return step;
}
