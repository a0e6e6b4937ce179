import { Inject, Injectable } from '@nestjs/common';
import { ServiceError } from '@twinyard/conventions';
import { LOGGER, type Logger, signalWithin } from '@twinyard/service-kit';
import { ComponentCatalogue } from '../components/component-catalogue';
import type { LogLevel, LogLine, StepContext } from '../components/step-context';
import { actorOf, PlatformAccess } from '../platform-client/platform-access';
import { PlatformError } from '../platform-client/platform-error';
import type { Run } from '../runs/run.entity';
import type { RunStep } from '../runs/run-step.entity';
import { isRefusedForGood } from '../step-terms/step-terms';
import { StepLate, withinTime } from '../step-terms/step-time';
import type { Beginning, BegunRun } from './beginning/begun-run';
import { PreparedSteps } from './beginning/prepared-steps';
import type { HeldRun } from './held-runs.repository';
import { MAX_TAKEOVERS } from './run-jobs';
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
  readonly prepared: PreparedSteps;
  readonly lines: readonly LogLine[];
}

/** For what a step has left, of a large model too; its run has not ended until then. */
const UNDO_MS = 300_000;

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
    if (begun.isCancelled) return this.cancel(held, begun.run, begun.steps.filter(({ state }) => state !== 'COMPLETED'));
    if (held.job.attempt > MAX_TAKEOVERS + 1) return this.giveUp(held, begun);
    const deadline = startDeadline(held, begun.run);
    try {
      await this.watch.during(held, () => this.walkSteps(held, begun));
    } finally {
      clearTimeout(deadline);
    }
  }

  private async walkSteps(held: RunUnderWay, begun: BegunRun): Promise<void> {
    const { run, steps } = begun;
    let inparams: unknown = null;
    const { prepared, beginning } = await this.begin(held, begun);
    let isStarted: boolean | undefined;
    for (const [place, step] of steps.entries()) {
      if (step.state !== 'COMPLETED') {
        isStarted ??= await this.journal.startStep(held, step.id, beginning);
        const outcome = isStarted ? await this.tryStep(held, run, step, { inparams, prepared: prepared.of(step.id) }) : CANCELLED;
        if (outcome.kind !== 'done') return this.endEarly(held, run, step, outcome);
        isStarted = await this.journal.completeStep(held, step.id, outcome.result, steps[place + 1]?.id);
        step.result = outcome.result;
      }
      inparams = step.result;
    }
  }

  /** With what was prepared when the run began, whoever had it in hand then. */
  private async begin(held: RunUnderWay, begun: BegunRun): Promise<{ readonly prepared: PreparedSteps; readonly beginning: Beginning }> {
    const kept = begun.isFirst ? undefined : await this.journal.preparedBefore(held);
    if (kept !== undefined) return { prepared: kept, beginning: { lines: [] } };
    const { prepared, lines } = await this.prepare(held, begun);
    return { prepared, beginning: { lines: isUnsaid(begun) ? firstLinesOf(begun.run, lines) : lines, keep: prepared.text() } };
  }

  /** Of each step that is yet to come, and what there is to say of it. What cannot be prepared is left to the step, which says what is wrong. */
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
    return { prepared: new PreparedSteps(prepared), lines };
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

  private async endEarly(held: RunUnderWay, run: Run, step: RunStep, outcome: Exclude<Outcome, { kind: 'done' }>): Promise<void> {
    switch (outcome.kind) {
      case 'failed':
        if (!outcome.isForGood && (await this.journal.retryStep(held, step.id, outcome.message))) return;
        return this.fail(held, run, step, outcome.message);
      case 'timeout': return this.fail(held, run, step, 'The run took longer than its time limit');
      case 'cancelled': return this.cancel(held, run, [step]);
      case 'deleted':
        await this.undo(held, run, step);
        throw new RunGone(held.runId);
      // It goes on elsewhere, from where it is.
      case 'shutdown':
      case 'lost': throw held.signal.reason as Error;
    }
  }

  private async fail(held: RunUnderWay, run: Run, step: RunStep, message: string): Promise<void> {
    await this.undo(held, run, step);
    await this.journal.failStep(held, step.id, message);
  }

  /** `unfinished`: of its steps, those that may have begun and have not ended. */
  private async cancel(held: RunUnderWay, run: Run, unfinished: readonly RunStep[]): Promise<void> {
    for (const step of unfinished) await this.undo(held, run, step);
    await this.journal.cancel(held);
  }

  /** The step is not tried again: it would cost another worker. */
  private async giveUp(held: RunUnderWay, { run, steps }: BegunRun): Promise<void> {
    const step = steps.find(({ state }) => state !== 'COMPLETED');
    if (step !== undefined) await this.undo(held, run, step);
    await this.journal.giveUp(held);
  }

  /** What its component cannot take back stays, and is told. */
  private async undo(held: RunUnderWay, run: Run, step: RunStep): Promise<void> {
    const component = this.catalogue.find(step.componentId);
    if (component?.undo === undefined) return;
    const { signal } = held.job;
    const inTime = signalWithin(UNDO_MS, signal);
    try {
      await component.undo(unlessGone(this.contextOf(held, run, step, { inparams: null }, inTime)));
    } catch (error) {
      if (error instanceof JournalFailure) throw error.cause;
      signal.throwIfAborted();
      const why = inTime.aborted ? `it took longer than ${UNDO_MS / 1_000} s` : this.explain(error, step);
      await this.journal.log(held, [{ level: 'warn', message: `What the step "${step.name}" has begun is still there: ${why}` }]);
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
      saveProgress: (progress) => {
        step.progress = progress;
        return journalled(this.journal.saveProgress(held, step.id, progress));
      },
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

/** The lines of a beginning are written with its first step: whoever began it before may not have come to that. */
const isUnsaid = ({ isFirst, steps }: BegunRun) => isFirst || steps.every(({ state, attempts }) => state === 'COMPLETED' || attempts === 0);

/** What is wrong with what is about to run comes before all else. */
function firstLinesOf({ name }: Run, lines: readonly LogLine[]): LogLine[] {
  const isWarning = ({ level }: LogLine) => level === 'warn';
  return [...lines.filter(isWarning), { level: 'info', message: `Run of "${name}" started` }, ...lines.filter((line) => !isWarning(line))];
}

/** Of a run that was deleted there is nothing to write down any more, and what it has begun is to be taken back all the same. */
function unlessGone(step: StepContext): StepContext {
  const written = async (work: Promise<void>): Promise<void> => work.catch((error: unknown) => {
    if (!(error instanceof JournalFailure && error.cause instanceof RunGone)) throw error;
  });
  return {
    ...step, saveProgress: (progress) => written(step.saveProgress(progress)), report: (report) => written(step.report(report)),
    log: (level, message) => written(step.log(level, message)), logAll: (lines) => written(step.logAll(lines)),
  };
}

const shorterOf = (one: number | null, other: number | null): number | null => (one === null || other === null ? (one ?? other) : Math.min(one, other));

function startDeadline(held: RunUnderWay, { timeoutMs, startedAt }: Run): NodeJS.Timeout | undefined {
  if (timeoutMs === null || startedAt === null) return undefined;
  const leftMs = startedAt.getTime() + timeoutMs - Date.now();
  if (leftMs > 0) return setTimeout(() => held.stop('timeout'), leftMs);
  held.stop('timeout');
  return undefined;
}
