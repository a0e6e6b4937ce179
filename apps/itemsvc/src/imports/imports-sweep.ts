import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DurableRequests, LOGGER, type Logger } from '@twinyard/service-kit';
import type { ImportRecord } from './import';
import { ImportsRepository } from './imports.repository';

const EVERY_MS = 600_000;
/** An upload of which nothing has arrived for so long has ended with its process. */
const SILENT_MS = 3_600_000;
const PAGE = 100;

/** Removes the files of uploads that were never whole and of imports that have ended, where nobody else was left to do so. Several processes may. */
@Injectable()
export class ImportsSweep implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private sweeping: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(
    private readonly imports: ImportsRepository,
    private readonly requests: DurableRequests,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    const sweep = () => {
      this.sweeping = this.sweeping
        .then(() => this.sweep(Date.now()))
        .catch((error: unknown) => this.logger.warn({ err: error }, 'files of imports wait for removal'));
    };
    this.timer = setInterval(sweep, EVERY_MS).unref();
    sweep();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    clearInterval(this.timer);
    await this.sweeping;
  }

  async sweep(now: number): Promise<void> {
    // Of those that wait for a worker, which are passed over, there may be more than a page.
    for (let before = now - SILENT_MS; !this.stopped; ) {
      const silent = await this.imports.untouchedSince(before, PAGE);
      for (const record of silent) if (!(await this.isAwaited(record))) await this.imports.remove(record._id);
      const last = silent.at(-1)?.touchedAt ?? before;
      if (silent.length < PAGE || last >= before) return;
      before = last;
    }
  }

  private async isAwaited({ _id, isWhole }: ImportRecord): Promise<boolean> {
    if (!isWhole) return false;
    const request = await this.requests.find(_id);
    return request !== undefined && request.response === undefined;
  }
}
