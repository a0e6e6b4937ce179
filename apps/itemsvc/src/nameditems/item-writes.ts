import { Injectable } from '@nestjs/common';
import { keepAnswer, type OwnAnswer, type RequestContext } from '@twinyard/auth';
import { notFound } from '@twinyard/conventions';
import { type DocumentTx, DocumentStore } from '@twinyard/documents';
import { type NewEvent, Outbox } from '@twinyard/events';
import { itemState, toUpdates } from '../updatelogs/update-log';
import { UpdateLogsRepository } from '../updatelogs/update-logs.repository';
import type { VersionRecord } from '../versions/version';
import { VersionsRepository } from '../versions/versions.repository';
import type { NamedItem } from './named-item';
import { NamedItemsRepository } from './named-items.repository';

export interface ItemEffect<T> {
  readonly answer: T;
  readonly events: readonly NewEvent[];
}

/** An item and its versions as the changes before this one left them; versions oldest first. */
export interface CurrentItem {
  readonly item: NamedItem;
  readonly versions: readonly VersionRecord[];
}

/** The one way in which an item and the set of its versions change: one change at a time, with its events and its entry in the log. */
@Injectable()
export class ItemWrites {
  constructor(
    private readonly store: DocumentStore,
    private readonly items: NamedItemsRepository,
    private readonly versions: VersionsRepository,
    private readonly logs: UpdateLogsRepository,
    private readonly outbox: Outbox,
  ) {}

  /** `found` was in the caller's reach; somebody may have deleted it since. `toAnswer`: what the request will be answered with. */
  run<T>(ctx: RequestContext, found: NamedItem, work: (tx: DocumentTx, current: CurrentItem) => Promise<ItemEffect<T>>, toAnswer: (result: T) => OwnAnswer): Promise<T> {
    return this.store.transaction(async (tx) => {
      await this.versions.lock(tx, [found._id]);
      const item = await this.items.current(tx, found._id);
      if (item === undefined) throw notFound('item', found._id);
      const current = { item, versions: await this.versions.all(tx, found._id) };
      const { answer, events } = await work(tx, current);
      await this.log(tx, ctx, current);
      await this.outbox.append(tx, ...events);
      await keepAnswer(ctx, tx, () => toAnswer(answer));
      return answer;
    });
  }

  /** What is deleted has no log any more. */
  private async log(tx: DocumentTx, ctx: RequestContext, { item: before, versions }: CurrentItem): Promise<void> {
    const after = await this.items.current(tx, before._id);
    if (after === undefined) return this.logs.removeOfItem(tx, before._id);
    const difference = { of: before._id, before: itemState(before, versions), after: itemState(after, await this.versions.all(tx, before._id)) };
    await this.logs.add(tx, toUpdates(ctx, Date.now(), [difference]));
  }
}
