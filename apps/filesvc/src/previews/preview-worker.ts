import { randomUUID } from 'node:crypto';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Loop } from '@twinyard/events';
import { DrawingInterrupted, DrawingProcess, NoPicture } from '@twinyard/previews';
import { LOGGER, type Logger, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { FILESVC_SETTINGS, type FilesvcSettings } from '../config';
import { MakePreview } from './make-preview';
import type { PreviewEnd, PreviewTask } from './preview';
import { PreviewOrders } from './preview-orders';
import { PreviewTasksRepository } from './preview-tasks.repository';
import { QuietMoment } from './quiet-moment';
import { removeAbandonedFolders } from './temporary-folder';

/** After this time another replica goes on with what this one has begun. */
const LEASE_SECONDS = 30;
/** Orders wake the worker; this is for what a replica that died has left. */
const IDLE_MS = 30_000;
const PROCESS_IDLE_MS = 10_000;
/** From an order to its commit. */
const COMMIT_MS = 5;
/** Whoever waits for an answer goes before pictures, but one a second is always made. */
const PATIENCE_MS = 1_000;

/** A file that twice more has taken the process down without a word is not tried again. */
const MAX_INTERRUPTIONS = 3;
/** A store that is away: some two hours. */
const MAX_ATTEMPTS = 9;
const RETRY_SECONDS = 2;
const MAX_RETRY_SECONDS = 3_600;

/** Makes pictures, each in a process of its own that is there while there is work. Replicas share the work by leases. */
@Injectable()
export class PreviewWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly processes: readonly DrawingProcess[];
  private readonly loops: readonly Loop[];
  private stopping = false;

  constructor(
    private readonly make: MakePreview,
    private readonly tasks: PreviewTasksRepository,
    private readonly orders: PreviewOrders,
    private readonly unitOfWork: TypeOrmUnitOfWork,
    @Inject(FILESVC_SETTINGS) settings: Pick<FilesvcSettings, 'PREVIEW_PROCESSES' | 'PREVIEW_TIMEOUT_SECONDS' | 'PREVIEW_MEMORY_MB'>,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    const limits = { timeoutMs: settings.PREVIEW_TIMEOUT_SECONDS * 1_000, memoryMb: settings.PREVIEW_MEMORY_MB, idleMs: PROCESS_IDLE_MS };
    this.processes = Array.from({ length: settings.PREVIEW_PROCESSES }, () => new DrawingProcess(limits));
    this.loops = this.processes.map((process) => {
      const quiet = new QuietMoment(PATIENCE_MS);
      return new Loop({
        step: () => quiet.wait(() => this.stopping).then(() => (this.stopping ? 0 : this.step(process))),
        idleMs: IDLE_MS,
        eager: true,
        onError: (error, retryMs) => logger.warn({ err: error, retryMs }, 'previews cannot be looked for, trying again'),
      });
    });
  }

  onApplicationBootstrap(): void {
    this.orders.onOrder(() => this.wake(COMMIT_MS));
    void removeAbandonedFolders();
    for (const loop of this.loops) loop.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    for (const process of this.processes) process.close();
    await Promise.all(this.loops.map((loop) => loop.stop()));
  }

  wake(delayMs = 0): void {
    for (const loop of this.loops) loop.wake(delayMs);
  }

  /** Resolves with how many were due. */
  private async step(process: DrawingProcess): Promise<number> {
    const lease = { owner: randomUUID(), seconds: LEASE_SECONDS };
    const task = await this.unitOfWork.run((tx) => this.tasks.claim(tx, lease));
    if (task === undefined) return 0;
    const hold = setInterval(() => void this.unitOfWork.run((tx) => this.tasks.hold(tx, task.versionId, lease)).catch(() => undefined), (LEASE_SECONDS / 3) * 1_000);
    try {
      if (task.attempts > MAX_ATTEMPTS) await this.end(task, lease.owner, { state: 'FAILED', failure: 'was tried too often' });
      else await this.make.run(task, lease.owner, process);
    } catch (error) {
      await this.afterFailure(task, lease.owner, error);
    } finally {
      clearInterval(hold);
    }
    return 1;
  }

  private async afterFailure(task: PreviewTask, owner: string, error: unknown): Promise<void> {
    const { versionId, attempts } = task;
    if (this.stopping) return this.unitOfWork.run((tx) => this.tasks.putBack(tx, versionId, owner));
    if (error instanceof NoPicture && attempts >= triesOf(error)) return this.end(task, owner, endFor(error));
    this.logger.warn({ err: error, versionId, attempts }, 'a preview was interrupted');
    if (attempts >= (error instanceof DrawingInterrupted ? MAX_INTERRUPTIONS : MAX_ATTEMPTS)) return this.end(task, owner, { state: 'FAILED', failure: 'was tried too often' });
    const seconds = Math.min(MAX_RETRY_SECONDS, RETRY_SECONDS * 3 ** (attempts - 1));
    await this.unitOfWork.run((tx) => this.tasks.postpone(tx, versionId, owner, seconds));
    this.wake(seconds * 1_000);
  }

  private async end({ versionId }: PreviewTask, owner: string, end: PreviewEnd): Promise<void> {
    await this.unitOfWork.run((tx) => this.tasks.finish(tx, versionId, owner, end));
    if (end.state === 'FAILED') this.logger.info({ versionId, failure: end.failure }, 'no preview of a version');
  }
}

/** What takes too long may do so because the machine is busy: it has a second chance. */
const triesOf = ({ refusal }: NoPicture) => (refusal === 'takes too long' ? 2 : 1);

const endFor = ({ refusal }: NoPicture): PreviewEnd => (refusal === 'has nothing to show' ? { state: 'NONE' } : { state: 'FAILED', failure: refusal });
