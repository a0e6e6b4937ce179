import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { LOGGER, type Logger, type Tx, UnitOfWork } from '@twinyard/service-kit';
import type { JobHandler } from './held-job';
import { type JobDefinition, type JobTerms, requireTerms } from './job';
import { JobsMetrics } from './jobs-metrics';
import { JOBS_OPTIONS, type JobsOptions } from './jobs-options';
import { JobNotices, type Noticed } from './notices/job-notices';
import { Hands } from './runner/hands';
import { KindRunner } from './runner/kind-runner';
import { within } from './runner/within';
import { JobStore } from './store/job-store';

/** Notices wake the runners; this is for one that got lost, and for what a process has left behind that nobody here has heard of. */
const LOOK_MS = 15_000;
const GRACE_MS = 5_000;
/** For what has to be written and closed at the end, behind the grace. */
const CLOSE_MS = 5_000;

/** Does the jobs of a service, each kind by its handler. Replicas share them by leases; one that dies is followed by another. */
@Injectable()
export class JobRunner implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly runners = new Map<string, KindRunner<unknown>>();
  private readonly graceMs: number;
  private readonly hands: Hands;
  /** The longest that a kind here may go on when the process ends. */
  private finishMs = 0;
  private clock: NodeJS.Timeout | undefined;
  private looking: Promise<void> = Promise.resolve();
  private isStopped = true;

  constructor(
    private readonly store: JobStore,
    private readonly notices: JobNotices,
    private readonly unitOfWork: UnitOfWork<Tx>,
    private readonly metrics: JobsMetrics,
    @Inject(JOBS_OPTIONS) private readonly options: JobsOptions,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.graceMs = options.graceMs ?? GRACE_MS;
    this.hands = new Hands(options.atOnce);
  }

  /** Before the application listens, in a constructor or in `onModuleInit`. `terms`: those that settings decide. @throws Error for terms that cannot be kept */
  handle<P, T extends Tx = Tx>(definition: JobDefinition<P>, handler: JobHandler<P, T>, terms: Partial<JobTerms> = {}): void {
    const { kind } = definition;
    if (this.runners.has(kind)) throw new Error(`Two handlers for jobs of the kind ${kind}`);
    const { store, unitOfWork, logger, metrics, graceMs, hands } = this;
    const agreed = { perNamespace: this.options.perNamespace, ...definition, ...terms };
    requireTerms(kind, agreed);
    this.finishMs = Math.max(this.finishMs, agreed.finishWithinMs ?? 0);
    this.metrics.known(kind);
    const runner = new KindRunner<P>(agreed, handler as unknown as JobHandler<P>, { store, unitOfWork, logger, graceMs, hands, metrics });
    this.runners.set(kind, runner as unknown as KindRunner<unknown>);
  }

  onApplicationBootstrap(): void {
    if (this.runners.size === 0) return;
    this.isStopped = false;
    this.notices.start((noticed) => this.notice(noticed));
    this.clock = setInterval(() => this.look(), this.options.lookMs ?? LOOK_MS).unref();
    this.notice('all');
  }

  /** Jobs first, so that others have them at once. What does not end in time is left to its lease. */
  async beforeApplicationShutdown(): Promise<void> {
    if (this.isStopped) return;
    this.isStopped = true;
    clearInterval(this.clock);
    await this.inTime(this.finishMs + this.graceMs + CLOSE_MS, Promise.all([...this.runners.values()].map((runner) => runner.stop())));
    await this.inTime(CLOSE_MS, Promise.all([this.looking, this.notices.stop()]));
  }

  private async inTime(ms: number, end: Promise<unknown>): Promise<void> {
    await within(ms, end).catch((error: unknown) => this.logger.warn({ err: error }, 'background jobs did not end in time'));
  }

  private notice(noticed: Noticed): void {
    if (this.isStopped) return;
    if (noticed === 'all') this.look();
    else this.runners.get(noticed)?.wake();
  }

  private look(): void {
    this.looking = this.looking.then(async () => {
      if (this.isStopped) return;
      for (const [kind, ms] of await this.store.look([...this.runners.keys()])) this.runners.get(kind)?.wakeIn(ms);
    }).catch((error: unknown) => this.logger.warn({ err: error }, 'jobs cannot be looked for right now'));
  }
}
