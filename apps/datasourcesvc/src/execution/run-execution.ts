import { Inject, Injectable } from '@nestjs/common';
import { ServiceError } from '@twinyard/conventions';
import { LOGGER, type Logger } from '@twinyard/service-kit';
import { ComponentCatalogue } from '../components/component-catalogue';
import type { StepContext } from '../components/step-context';
import { PlatformAccess } from '../platform-client/platform-access';
import { PlatformError } from '../platform-client/platform-error';
import type { Run } from '../runs/run.entity';
import type { RunStep } from '../runs/run-step.entity';
import { type HeldRun, RunJournal } from './run-journal';
import { LeaseLost, type RunLease, RunStopped, type StopKind } from './run-lease';

type Outcome =
  | { readonly kind: 'done'; readonly result: unknown }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: StopKind };

/** Our own store failed, not the component: the run is left to whoever takes it over. */
class JournalFailure extends Error {}

/** Takes one run from where it is to its end, under a lease. */
@Injectable()
export class RunExecution {
  constructor(
    private readonly journal: RunJournal,
    private readonly catalogue: ComponentCatalogue,
    private readonly access: PlatformAccess,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Never throws: a run that could not be ended is taken over when its lease is over. */
  async perform(lease: RunLease): Promise<void> {
    const { runId } = lease.key;
    try {
      await this.walk(lease);
    } catch (error) {
      if (error instanceof LeaseLost) this.logger.warn({ runId }, 'a run was lost to another worker or deleted');
      else this.logger.error({ err: error, runId }, 'a run was left for another worker');
    }
  }

  private async walk(lease: RunLease): Promise<void> {
    const held = await this.journal.begin(lease.key);
    if (held === 'ended') return;
    if (held === 'cancel') return this.journal.cancel(lease.key);
    const deadline = startDeadline(lease, held.run);
    try {
      await this.walkSteps(lease, held);
    } finally {
      clearTimeout(deadline);
    }
  }

  private async walkSteps(lease: RunLease, { run, steps }: HeldRun): Promise<void> {
    let inparams: unknown = null;
    for (const step of steps) {
      if (step.state !== 'COMPLETED') {
        const outcome = await this.performStep(lease, run, step, inparams);
        if (outcome.kind !== 'done') return this.endEarly(lease, step, outcome);
        step.result = outcome.result;
      }
      inparams = step.result;
    }
  }

  private async performStep(lease: RunLease, run: Run, step: RunStep, inparams: unknown): Promise<Outcome> {
    if (!(await this.journal.startStep(lease.key, step.id))) return { kind: 'cancelled' };
    const outcome = await this.tryStep(lease, this.contextOf(lease, run, step, inparams), step.componentId);
    if (outcome.kind === 'done') await this.journal.completeStep(lease.key, step.id, outcome.result);
    return outcome;
  }

  private async tryStep({ signal }: RunLease, context: StepContext, componentId: string): Promise<Outcome> {
    const component = this.catalogue.find(componentId);
    if (component === undefined) return { kind: 'failed', message: `There is no component ${componentId} any more` };
    try {
      signal.throwIfAborted();
      return { kind: 'done', result: (await orAborted(component.run(context), signal)) ?? null };
    } catch (error) {
      if (error instanceof JournalFailure) throw error.cause;
      if (signal.reason instanceof RunStopped) return { kind: signal.reason.kind };
      return { kind: 'failed', message: this.explain(error, context) };
    }
  }

  private async endEarly({ key }: RunLease, step: RunStep, outcome: Exclude<Outcome, { kind: 'done' }>): Promise<void> {
    switch (outcome.kind) {
      case 'failed': return this.journal.failStep(key, step.id, outcome.message);
      case 'timeout': return this.journal.failStep(key, step.id, 'The run took longer than its time limit');
      case 'cancelled': return this.journal.cancel(key);
      case 'shutdown': return this.journal.release(key);
      case 'lost': throw new LeaseLost(key);
    }
  }

  private contextOf({ key, signal }: RunLease, run: Run, step: RunStep, inparams: unknown): StepContext {
    const journalled = <T>(work: Promise<T>) => work.catch((cause: unknown) => {
      throw new JournalFailure('the store failed', { cause });
    });
    return {
      runId: run.id, stepId: step.id, namespaces: run.namespaces, params: step.actualParams, inparams, signal, progress: step.progress,
      platform: this.access.clientFor(run, signal),
      saveProgress: (progress) => journalled(this.journal.saveProgress(key, step.id, progress)),
      report: (report) => journalled(this.journal.report(key, step.id, report)),
      log: (level, message) => journalled(this.journal.log(key, level, message)),
    };
  }

  /** What `_statusmsg` says. Faults of our own are told to the log alone. */
  private explain(error: unknown, { runId, stepId }: StepContext): string {
    if (error instanceof PlatformError || error instanceof ServiceError) return error.message;
    this.logger.error({ err: error, runId, stepId }, 'a component failed');
    return 'The component failed because of an internal error';
  }
}

function startDeadline(lease: RunLease, { timeoutMs, startedAt }: Run): NodeJS.Timeout | undefined {
  if (timeoutMs === null || startedAt === null) return undefined;
  return setTimeout(() => lease.abort('timeout'), Math.max(0, startedAt.getTime() + timeoutMs - Date.now()));
}

/** Stops waiting when the signal is aborted; whatever the work still tries is refused by the signal or by its old lease. */
async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
