import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { type JobDefinition, Jobs, Schedules } from '@twinyard/jobs';
import { type Tx, UnitOfWork } from '@twinyard/service-kit';
import type { ResourceEvent } from '../contract/event';
import { OnEvent } from '../handlers/on-event';
import { begun, placeOf, type Purge, PURGE_OPTIONS, purgeJob, type PurgeOptions } from './purge-job';
import { PurgeStore } from './purge-store';

/** How often purges are looked for that have no job: such as replicas of the release before have written down. */
const LOOK_MS = 600_000;
const AT_A_TIME = 500;

/** Hears of the namespaces that are to be emptied, in every service, and orders the work. */
@Injectable()
export class PurgeRequests implements OnModuleInit {
  private readonly definition: JobDefinition<Purge>;

  constructor(
    @Inject(PURGE_OPTIONS) private readonly options: PurgeOptions,
    private readonly unitOfWork: UnitOfWork<Tx>,
    private readonly store: PurgeStore,
    private readonly jobs: Jobs,
    private readonly schedules: Schedules,
  ) {
    this.definition = purgeJob(options.service);
  }

  onModuleInit(): void {
    this.schedules.every(`${this.options.service}.purge-look`, { everyMs: LOOK_MS, atStart: true }, (signal) => this.look(signal));
  }

  /** A namespace that is being emptied already begins anew. */
  @OnEvent('passportsvc.Workspace', 'passportsvc.UserGroup')
  async ask(tx: Tx, { event, resource, user, requestId }: ResourceEvent<'passportsvc.Workspace' | 'passportsvc.UserGroup'>): Promise<void> {
    if (event !== 'resource.ResourceDeleted' || resource._purge !== true) return;
    for (const namespace of resource._namespaces) {
      const request = { namespace, askedById: user.id, requestId };
      await this.store.ask(tx, request);
      await this.jobs.enqueue(tx, this.definition, begun(request), placeOf(request));
    }
  }

  private async look(signal: AbortSignal): Promise<void> {
    for (let after: string | undefined = ''; after !== undefined && !signal.aborted; ) after = await this.lookBehind(after);
  }

  /** Resolves with where to look next. */
  private lookBehind(after: string): Promise<string | undefined> {
    return this.unitOfWork.run(async (tx) => {
      const found = await this.store.unfinishedAfter(tx, after, AT_A_TIME);
      for (const request of found) await this.jobs.ensure(tx, this.definition, begun(request), placeOf(request));
      return found.length < AT_A_TIME ? undefined : found.at(-1)?.namespace;
    });
  }
}
