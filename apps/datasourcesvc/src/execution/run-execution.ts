import { Inject, Injectable } from '@nestjs/common';
import { ServiceError } from '@twinyard/conventions';
import { LOGGER, type Logger } from '@twinyard/service-kit';
import { ComponentCatalogue } from '../components/component-catalogue';
import type { LogLevel, LogLine, StepContext } from '../components/step-context';
import { actorOf, PlatformAccess } from '../platform-client/platform-access';
import { PlatformError } from '../platform-client/platform-error';
import type { Run } from '../runs/run.entity';
import type { RunStep } from '../runs/run-step.entity';
import { isRefusedForGood } from '../step-terms/step-terms';
import { StepLate, withinTime } from '../step-terms/step-time';
import type { HeldRun } from './held-runs.repository';
import { RunJournal } from './run-journal';
import { RunWatch } from './run-watch';
import { RunGone, RunStopped, type RunUnderWay, type StopKind } from './run-under-way';

type Outcome =
  | { readonly kind: 'done'; readonly result: unknown }
  | { readonly kind: 'failed'; readonly message: string; readonly isForGood: boolean }
  | { readonly kind: StopKind };

const CANCELLED: Outcome = { kind: 'cancelled' };

/** To a step, by what came before it. */
type Given = Pick<StepContext, 'inparams' | 'prepared'>;

interface Prepared {
  readonly prepared: ReadonlyMap<string, unknown>;
  readonly lines: LogLine[];
}

/** Our own store failed, not the component: the run is left to whoever takes it over. */
class JournalFailure extends Error {}

/** Takes one run from where it is to its end, under a lease. */
@Injectable()
export class RunExecution {
  constructor(
    private readonly journal: RunJournal,
    private readonly catalogue: ComponentCatalogue,
    private readonly access: PlatformAccess,
    private readonly watch: RunWatch,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** What it throws leaves the run to another attempt, here or elsewhere. */
  async perform(held: RunUnderWay): Promise<void> {
    const begun = await this.journal.begin(held);
    if (begun === 'ended' || begun === 'waits') return;
    if (begun === 'cancel') return this.journal.cancel(held);
    const deadline = startDeadline(held, begun.run);
    try {
      await this.watch.during(held, () => this.walkSteps(held, begun));
    } finally {
      clearTimeout(deadline);
    }
  }

  private async walkSteps(held: RunUnderWay, { run, steps }: HeldRun): Promise<void> {
    let inparams: unknown = null;
    const { prepared, lines } = await this.prepare(held, { run, steps });
    let isStarted: boolean | undefined;
    for (const [place, step] of steps.entries()) {
      if (step.state !== 'COMPLETED') {
        isStarted ??= await this.journal.startStep(held, step.id, lines);
        const outcome = isStarted ? await this.tryStep(held, run, step, { inparams, prepared: prepared.get(step.id) }) : CANCELLED;
        if (outcome.kind !== 'done') return this.endEarly(held, step, outcome);
        isStarted = await this.journal.completeStep(held, step.id, outcome.result, steps[place + 1]?.id);
        step.result = outcome.result;
      }
      inparams = step.result;
    }
  }

  /** Of each step that is yet to come, by its id, and what there is to say of it, which is written when the first one starts. What cannot be prepared is left to the step, which says what is wrong. */
  private async prepare(held: RunUnderWay, { run, steps }: HeldRun): Promise<Prepared> {
    const prepared = new Map<string, unknown>();
    const lines: LogLine[] = [];
    const logAll = async (more: readonly LogLine[]) => void lines.push(...more);
    const byComponent = new Map<string, unknown[]>();
    for (const step of steps.filter(({ state }) => state !== 'COMPLETED')) {
      const earlier = byComponent.get(step.componentId) ?? [];
      const context = { ...this.contextOf(held, run, step, { inparams: null }, held.signal), logAll, log: (level: LogLevel, message: string) => logAll([{ level, message }]) };
      const work = this.catalogue.find(step.componentId)?.prepare?.(context, earlier);
      const found = await work?.catch((error: unknown) => {
        if (error instanceof JournalFailure) throw error.cause;
        return undefined;
      });
      if (found === undefined) continue;
      prepared.set(step.id, found);
      byComponent.set(step.componentId, [...earlier, found]);
    }
    return { prepared, lines };
  }

  private async tryStep(held: RunUnderWay, run: Run, step: RunStep, given: Given): Promise<Outcome> {
    const { signal } = held;
    const component = this.catalogue.find(step.componentId);
    if (component === undefined) return { kind: 'failed', message: `There is no component ${step.componentId} any more`, isForGood: true };
    try {
      signal.throwIfAborted();
      const result = await withinTime(step.timeoutMs, signal, (either) => component.run(this.contextOf(held, run, step, given, either)));
      return { kind: 'done', result: result ?? null };
    } catch (error) {
      if (error instanceof JournalFailure) throw error.cause;
      if (signal.reason instanceof RunStopped) return { kind: signal.reason.kind };
      return { kind: 'failed', message: this.explain(error, step), isForGood: isRefusedForGood(error) && step.retry?.on !== 'ANY' };
    }
  }

  private async endEarly(held: RunUnderWay, step: RunStep, outcome: Exclude<Outcome, { kind: 'done' }>): Promise<void> {
    switch (outcome.kind) {
      case 'failed':
        return outcome.isForGood ? this.journal.failStep(held, step.id, outcome.message) : this.journal.failOrRetryStep(held, step.id, outcome.message);
      case 'timeout': return this.journal.failStep(held, step.id, 'The run took longer than its time limit');
      case 'cancelled': return this.journal.cancel(held);
      case 'deleted': throw new RunGone(held.runId);
      // It goes on elsewhere, from where it is.
      case 'shutdown':
      case 'lost': throw held.signal.reason as Error;
    }
  }

  private contextOf(held: RunUnderWay, run: Run, step: RunStep, given: Given, signal: AbortSignal): StepContext {
    const journalled = <T>(work: Promise<T>) => work.catch((cause: unknown) => {
      throw new JournalFailure('the store failed', { cause });
    });
    return {
      runId: run.id, stepId: step.id, namespaces: run.namespaces, params: step.actualParams, ...given, signal, progress: step.progress,
      isInstant: run.instant, runStartedAt: run.startedAt ?? new Date(), timeLimitMs: shorterOf(step.timeoutMs, run.timeoutMs), actor: actorOf(run),
      platform: this.access.clientFor(run, signal, held.usage),
      saveProgress: (progress) => journalled(this.journal.saveProgress(held, step.id, progress)),
      worked: (ms) => held.usage.worked(ms),
      report: (report) => journalled(this.journal.report(held, step.id, report)),
      log: (level, message) => journalled(this.journal.log(held, [{ level, message }])),
      logAll: (lines) => journalled(this.journal.log(held, lines)),
    };
  }

  /** What `_statusmsg` says. Faults of our own are told to the log alone. */
  private explain(error: unknown, { runId, id: stepId }: RunStep): string {
    if (error instanceof PlatformError || error instanceof ServiceError || error instanceof StepLate) return error.message;
    this.logger.error({ err: error, runId, stepId }, 'a component failed');
    return 'The component failed because of an internal error';
  }
}

const shorterOf = (one: number | null, other: number | null): number | null => (one === null || other === null ? (one ?? other) : Math.min(one, other));

function startDeadline(held: RunUnderWay, { timeoutMs, startedAt }: Run): NodeJS.Timeout | undefined {
  if (timeoutMs === null || startedAt === null) return undefined;
  const leftMs = startedAt.getTime() + timeoutMs - Date.now();
  if (leftMs > 0) return setTimeout(() => held.stop('timeout'), leftMs);
  held.stop('timeout');
  return undefined;
}
