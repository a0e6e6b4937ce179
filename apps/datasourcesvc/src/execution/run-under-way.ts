import { type HeldJob, JobStopped } from '@twinyard/jobs';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { PlatformUsage } from '../platform-client/platform-usage';
import type { RunOrder } from './run-jobs';

export type StopKind = 'cancelled' | 'deleted' | 'timeout' | 'lost' | 'shutdown';

/** Why the signal of a run was aborted. */
export class RunStopped extends Error {
  constructor(readonly kind: StopKind) {
    super(`The run was stopped: ${kind}`);
    this.name = 'RunStopped';
  }
}

/** It was deleted. */
export class RunGone extends Error {
  constructor(runId: string) {
    super(`The run ${runId} is gone`);
    this.name = 'RunGone';
  }
}

/** A run in the hands of this process, under the lease of its job, and whatever tells those who work on it when to stop. */
export class RunUnderWay {
  readonly usage = new PlatformUsage();
  private readonly controller = new AbortController();

  constructor(readonly job: HeldJob<RunOrder, TypeOrmTx>) {
    const follow = () => this.stop(kindOf(job.signal.reason));
    if (job.signal.aborted) follow();
    else job.signal.addEventListener('abort', follow, { once: true });
  }

  get runId(): string {
    return this.job.payload.runId;
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  stop(kind: StopKind): void {
    if (!this.signal.aborted) this.controller.abort(new RunStopped(kind));
  }
}

/** An attempt that has had its day is followed by another, as one that was lost. */
const kindOf = (reason: unknown): StopKind => (reason instanceof JobStopped && reason.reason === 'shutdown' ? 'shutdown' : 'lost');
