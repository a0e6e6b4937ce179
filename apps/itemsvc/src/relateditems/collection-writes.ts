import { Injectable } from '@nestjs/common';
import { invalid, notFound } from '@twinyard/conventions';
import { type DocumentTx, DocumentStore } from '@twinyard/documents';
import { type EventOrigin, type NewEvent, Outbox } from '@twinyard/events';
import { encryptionOf, ItemEncryption } from '../encryption/item-encryption';
import type { Place } from '../nameditems/item-access';
import type { VersionCounters } from '../versions/version';
import { VersionsRepository } from '../versions/versions.repository';
import { readingsWritten, relatedItemsWritten, type Written } from './related-items.events';
import { Turns } from './turns';

/** By how much something grew or, negative, shrank. */
export interface Growth {
  readonly count: number;
  readonly bytes: number;
}

export interface Effect<T> {
  readonly answer: T;
  /** Absent: related items were not touched. */
  readonly items?: Written & { readonly growth: Growth };
  readonly readings?: Written & { readonly growth: Growth };
}

/** A write that was looked at as far as that goes outside of a transaction; `write` may be one of many in it. */
export interface PreparedWrite<T> {
  /** As in `WriteOptions`. */
  readonly alsoLock: readonly string[];
  write(tx: DocumentTx): Promise<Effect<T>>;
}

export interface WriteOptions<T> {
  /** Versions that must not go away meanwhile: targets of relations. */
  readonly alsoLock?: readonly string[];
  /** Last in the transaction: ends a durable request with its answer. */
  readonly finish?: ((tx: DocumentTx, answer: T) => Promise<void>) | undefined;
}

/**
 * The one way in which the content of a collection version changes: under the version's lock, with its counters and the
 * event in the same transaction. All of a request or nothing.
 */
@Injectable()
export class CollectionWrites {
  private readonly turns = new Turns();

  constructor(
    private readonly store: DocumentStore,
    private readonly versions: VersionsRepository,
    private readonly outbox: Outbox,
    private readonly encryption: ItemEncryption,
  ) {}

  run<T>(origin: EventOrigin, place: Place, work: (tx: DocumentTx) => Promise<Effect<T>>, options: WriteOptions<T> = {}): Promise<T> {
    const attempt = async (tx: DocumentTx) => {
      await this.lock(tx, place, options.alsoLock ?? []);
      const effect = await work(tx);
      const events = await this.count(tx, origin, place, effect);
      await options.finish?.(tx, effect.answer);
      await this.outbox.append(tx, ...events);
      return effect.answer;
    };
    return this.turns.take(place.versionId, () => this.encryption.ready(encryptionOf(place.item), () => this.store.transaction(attempt)));
  }

  private async lock(tx: DocumentTx, { versionId }: Place, others: readonly string[]): Promise<void> {
    const gone = await this.versions.lock(tx, [versionId, ...others]);
    if (gone.includes(versionId)) throw notFound('version', versionId);
    if (gone.length > 0) throw invalid(`The related collection version ${gone[0]} does not exist any more`);
  }

  private async count(tx: DocumentTx, origin: EventOrigin, place: Place, { items, readings }: Effect<unknown>): Promise<NewEvent[]> {
    if (!didChange(items) && !didChange(readings)) return [];
    const after = grow(await this.versions.counters(tx, place.versionId), items?.growth ?? NOTHING, readings?.growth ?? NOTHING);
    await this.versions.putCounters(tx, after);
    return [
      ...(didChange(items) ? [relatedItemsWritten(place, items, after, origin)] : []),
      ...(didChange(readings) ? [readingsWritten(place, readings, after, origin)] : []),
    ];
  }
}

const didChange = (written: Written | undefined): written is Written => written !== undefined && written.changed > 0;
const NOTHING: Growth = { count: 0, bytes: 0 };

const grow = (before: VersionCounters, items: Growth, readings: Growth): VersionCounters => ({
  ...before,
  relatedItemsCount: before.relatedItemsCount + items.count,
  relatedItemsBytes: before.relatedItemsBytes + items.bytes,
  readingsCount: before.readingsCount + readings.count,
  timeSeriesSize: before.timeSeriesSize + readings.bytes,
});
