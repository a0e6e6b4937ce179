import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { type HeldJob, job, JobRunner, Jobs } from '@twinyard/jobs';
import { LOGGER, type Logger, type TypeOrmTx, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { z } from 'zod';
import { MailsRepository } from './mails.repository';

const watch = z.object({ since: z.iso.datetime() });
type Watch = z.infer<typeof watch>;

/** Looks after what replicas of the release before leave in tables of their own. To go with these tables, in the next release. */
export const LEFT_OVER = job('passportsvc.left-over-mails', { schema: watch, leaseMs: 6_000, longestMs: 60_000, retry: { attempts: 100, firstMs: 1_000, longestMs: 60_000 }, concurrency: 1 });

/** In which an upgrade has replaced the last of them; an old one postpones a mail by an hour at most. */
const WATCHED_MS = 7_200_000;
const PAUSE_MS = 60_000;

@Injectable()
export class LeftOverMails implements OnModuleInit, OnApplicationBootstrap {
  constructor(
    private readonly runner: JobRunner,
    private readonly jobs: Jobs,
    private readonly mails: MailsRepository,
    private readonly unitOfWork: TypeOrmUnitOfWork,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.runner.handle<Watch, TypeOrmTx>(LEFT_OVER, { run: (held) => this.look(held) });
  }

  async onApplicationBootstrap(): Promise<void> {
    const since = new Date().toISOString();
    await this.unitOfWork.run((tx) => this.jobs.ensure(tx, LEFT_OVER, { since }, { namespace: '', key: 'all' }));
  }

  /** Until nothing is left, and two hours have passed since the start. */
  private look(held: HeldJob<Watch, TypeOrmTx>): Promise<void> {
    const isWatched = Date.now() < Date.parse(held.payload.since) + WATCHED_MS;
    return this.unitOfWork.run(async (tx) => {
      const { taken, tooLarge } = await this.mails.adoptLeftOver(tx);
      if (tooLarge.length > 0) this.logger.error({ mailIds: tooLarge }, 'mails that the release before has left are too large, and are not sent');
      await this.mails.removeLeftOverRequests(tx);
      if (isWatched || (await this.mails.hasLeftOver(tx))) return held.continueWith(tx, held.payload, taken > 0 ? 0 : PAUSE_MS);
      return held.finish(tx);
    });
  }
}
