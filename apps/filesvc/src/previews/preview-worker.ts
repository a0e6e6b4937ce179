import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { GiveUp, type HeldJob, JobRunner, TryLater } from '@twinyard/jobs';
import { DrawingInterrupted, DrawingProcess, NoPicture } from '@twinyard/previews';
import { LOGGER, type Logger, type TypeOrmTx } from '@twinyard/service-kit';
import { FILESVC_SETTINGS, type FilesvcSettings } from '../config';
import { MakePreview } from './make-preview';
import { FETCH_MS, PREVIEW, type PreviewOrder } from './preview-job';
import { QuietMoment } from './quiet-moment';
import { removeAbandonedFolders } from './temporary-folder';

const PROCESS_IDLE_MS = 10_000;
/** Whoever waits for an answer goes before pictures, but one a second is always made. */
const PATIENCE_MS = 1_000;
/** A file that twice more has taken the process down without a word is not tried again. */
const MAX_INTERRUPTIONS = 3;
const BUSY_MS = 1_000;

interface Drawer {
  readonly process: DrawingProcess;
  readonly quiet: QuietMoment;
}

/** Makes the pictures that were ordered, each in a process of its own that is there while there is work. */
@Injectable()
export class PreviewWorker implements OnModuleInit, OnApplicationBootstrap, OnApplicationShutdown {
  readonly processes: readonly DrawingProcess[];
  private readonly drawers: Drawer[];

  constructor(
    private readonly make: MakePreview,
    private readonly runner: JobRunner,
    @Inject(FILESVC_SETTINGS) private readonly settings: Pick<FilesvcSettings, 'PREVIEW_PROCESSES' | 'PREVIEW_TIMEOUT_SECONDS' | 'PREVIEW_MEMORY_MB'>,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    const limits = { timeoutMs: settings.PREVIEW_TIMEOUT_SECONDS * 1_000, memoryMb: settings.PREVIEW_MEMORY_MB, idleMs: PROCESS_IDLE_MS };
    this.processes = Array.from({ length: settings.PREVIEW_PROCESSES }, () => new DrawingProcess(limits));
    this.drawers = this.processes.map((process) => ({ process, quiet: new QuietMoment(PATIENCE_MS) }));
  }

  /** Without a process the work is left to other replicas. */
  onModuleInit(): void {
    const { PREVIEW_PROCESSES: concurrency, PREVIEW_TIMEOUT_SECONDS: seconds } = this.settings;
    if (concurrency === 0) return;
    this.runner.handle<PreviewOrder, TypeOrmTx>(PREVIEW, { run: (held) => this.withDrawer(held) }, { concurrency, longestMs: FETCH_MS + seconds * 1_000 });
  }

  onApplicationBootstrap(): void {
    void removeAbandonedFolders();
  }

  /** The runner has stopped what was being drawn. */
  onApplicationShutdown(): void {
    for (const process of this.processes) process.close();
  }

  /** There are as many as jobs at a time; one that was told to stop may be at its end still. */
  private async withDrawer(held: HeldJob<PreviewOrder, TypeOrmTx>): Promise<void> {
    const drawer = this.drawers.shift();
    if (drawer === undefined) throw new TryLater(BUSY_MS, false);
    await this.draw(held, drawer).finally(() => this.drawers.push(drawer));
  }

  private async draw(held: HeldJob<PreviewOrder, TypeOrmTx>, { process, quiet }: Drawer): Promise<void> {
    const interrupt = () => process.end();
    await quiet.wait(() => held.signal.aborted);
    held.signal.throwIfAborted();
    held.signal.addEventListener('abort', interrupt);
    try {
      await this.make.run(held, process);
    } catch (error) {
      await this.afterFailure(held, error);
    } finally {
      held.signal.removeEventListener('abort', interrupt);
    }
  }

  private async afterFailure(held: HeldJob<PreviewOrder, TypeOrmTx>, error: unknown): Promise<void> {
    held.signal.throwIfAborted();
    if (error instanceof NoPicture && held.attempt >= triesOf(error)) {
      const { versionId } = held.payload;
      await this.make.without(held, error.refusal);
      if (error.refusal !== 'has nothing to show') this.logger.info({ versionId, failure: error.refusal }, 'no preview of a version');
      return;
    }
    if (error instanceof DrawingInterrupted && held.attempt >= MAX_INTERRUPTIONS) throw new GiveUp('It has taken the process down three times', { cause: error });
    throw error;
  }
}

/** What takes too long may do so because the machine is busy: it has a second chance. */
const triesOf = ({ refusal }: NoPicture) => (refusal === 'takes too long' ? 2 : 1);
