import { Injectable, type OnModuleInit } from '@nestjs/common';
import { newUuid } from '@twinyard/conventions';
import { Schedules } from '@twinyard/jobs';
import type { Place } from '../nameditems/item-access';
import type { TsProperties } from '../nameditems/named-item';
import { NamedItemsRepository } from '../nameditems/named-items.repository';
import { CollectionWrites } from '../relateditems/collection-writes';
import { spotOf } from '../relateditems/related-items.repository';
import { VersionsRepository } from '../versions/versions.repository';
import { ReadingsRepository } from './readings.repository';

const EVERY_MS = 60_000;
/** Readings that one transaction removes. */
const BATCH = 10_000;
const PAGE = 100;
const HOUR = 3_600;

/** Covered time span of each granularity in seconds (specification 2). */
const SPANS: Readonly<Record<TsProperties['_granularity'], number>> = { seconds: HOUR, minutes: 24 * HOUR, hours: 30 * 24 * HOUR };

/** "A reading is deleted only once its `_ts` has passed both the covered time span of the granularity and `_expiry`." */
export const lifetimeMs = ({ _granularity, _expiry = 0 }: TsProperties) => Math.max(SPANS[_granularity], _expiry) * 1_000;

/** Deletes readings that have had their time, each minute (contract 2.7). */
@Injectable()
export class ReadingExpiry implements OnModuleInit {
  constructor(
    private readonly items: NamedItemsRepository,
    private readonly versions: VersionsRepository,
    private readonly readings: ReadingsRepository,
    private readonly writes: CollectionWrites,
    private readonly schedules: Schedules,
  ) {}

  onModuleInit(): void {
    this.schedules.every('itemsvc.reading-expiry', { everyMs: EVERY_MS }, (signal) => this.sweep(Date.now(), signal));
  }

  /** Removes what is over at `now`, in ms. */
  async sweep(now: number, signal?: AbortSignal): Promise<void> {
    for (let after = '', more = true; more && signal?.aborted !== true;) {
      const items = await this.items.expiring(after, PAGE);
      for (const item of items) {
        for (const version of await this.versions.ofItem(item._id)) {
          await this.expire({ item, versionId: version._id, version: version._version }, new Date(now - lifetimeMs(item._tsProperties as TsProperties)), signal);
        }
      }
      more = items.length === PAGE;
      after = items.at(-1)?._id ?? after;
    }
  }

  private async expire(place: Place, before: Date, signal: AbortSignal | undefined): Promise<void> {
    // Most versions have nothing to remove; they are not locked to find that out.
    const due = { filter: { _ts: { $lt: before.toISOString() } }, paging: { offset: 0, pageSize: 0 } };
    for (let { total } = await this.readings.list(spotOf(place), due); total > 0 && signal?.aborted !== true; total -= BATCH) {
      await this.writes.run({ userId: 'itemsvc', requestId: newUuid() }, place, async (tx) => {
        const { count, bytes } = await this.readings.removeOlderThan(tx, spotOf(place), before, BATCH);
        return { answer: undefined, readings: { verb: 'deleted', changed: count, growth: { count: -count, bytes: -bytes } } };
      });
    }
  }
}
