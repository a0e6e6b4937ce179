import { Injectable } from '@nestjs/common';
import type { Tx } from '@twinyard/service-kit';
import type { ResourceEvent } from '../contract/event';
import { OnEvent } from '../handlers/on-event';
import { PurgeStore } from './purge-store';
import { PurgeWorker } from './purge-worker';

/** Hears of the namespaces that are to be emptied, in every service. */
@Injectable()
export class PurgeRequests {
  constructor(private readonly store: PurgeStore, private readonly worker: PurgeWorker) {}

  @OnEvent('passportsvc.Workspace', 'passportsvc.UserGroup')
  async ask(tx: Tx, { event, resource, user, requestId }: ResourceEvent<'passportsvc.Workspace' | 'passportsvc.UserGroup'>): Promise<void> {
    if (event !== 'resource.ResourceDeleted' || resource._purge !== true) return;
    for (const namespace of resource._namespaces) await this.store.ask(tx, { namespace, askedById: user.id, requestId });
    this.worker.wake();
  }
}
