import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '@twinyard/service-kit';
import { HeldRunsRepository } from './held-runs.repository';
import type { RunUnderWay } from './run-under-way';

/** Cancel stops an endless loop within a second, whichever replica was told. */
const LOOK_MS = 500;

/** Tells the runs that this process has in hand that they were cancelled or deleted: through it at once, through another replica when it looks. It looks while it has some. */
@Injectable()
export class RunWatch {
  private readonly underWay = new Map<string, RunUnderWay>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly held: HeldRunsRepository,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async during<T>(run: RunUnderWay, work: () => Promise<T>): Promise<T> {
    this.underWay.set(run.runId, run);
    this.timer ??= setTimeout(() => void this.look(), LOOK_MS).unref();
    try {
      return await work();
    } finally {
      if (this.underWay.get(run.runId) === run) this.underWay.delete(run.runId);
    }
  }

  /** A run whose cancellation is stored. */
  cancel(runId: string): void {
    this.underWay.get(runId)?.stop('cancelled');
  }

  /** A run that was deleted. */
  forget(runId: string): void {
    this.underWay.get(runId)?.stop('deleted');
  }

  private async look(): Promise<void> {
    try {
      const ids = [...this.underWay.keys()];
      const states = await this.held.statesOf(ids);
      for (const id of ids) {
        if (!states.has(id)) this.forget(id);
        else if (states.get(id) === 'REQUEST_CANCEL') this.cancel(id);
      }
    } catch (error) {
      this.logger.warn({ err: error }, 'whether runs were cancelled cannot be seen right now');
    } finally {
      this.timer = this.underWay.size === 0 ? undefined : setTimeout(() => void this.look(), LOOK_MS).unref();
    }
  }
}
