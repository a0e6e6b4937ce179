import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import { ItemAccess, type Place } from '../nameditems/item-access';
import { parseReadings } from '../readings/reading.parse';
import { ReadingsService } from '../readings/readings.service';
import type { ConflictRule } from '../readings/same-instants';
import type { PreparedWrite } from '../relateditems/collection-writes';
import { CreateRelatedItems } from '../relateditems/create-related-items';
import { parseRelatedItems } from '../relateditems/related-item.parse';
import type { RowKindName } from './import';

/** What the rows of an import are. */
export interface RowKind {
  /** The collection version that they are for, as far as the caller may write there. */
  place(ctx: RequestContext, key: string, versionId: string | undefined): Promise<Place>;
  /** Checked as far as that goes before the transaction. Faults are named by the places of the rows, as in a bulk. */
  prepare(ctx: RequestContext, place: Place, values: readonly unknown[], rule?: ConflictRule): Promise<PreparedWrite<unknown>>;
}

/** The same code as that of a bulk. */
@Injectable()
export class RowKinds {
  private readonly kinds: Readonly<Record<RowKindName, RowKind>>;

  constructor(access: ItemAccess, creation: CreateRelatedItems, readings: ReadingsService) {
    this.kinds = {
      relateditems: {
        place: (ctx, key, versionId) => access.placeFor(ctx, key, versionId, 'add'),
        prepare: async (ctx, place, values) => creation.prepare(ctx, place, await parseRelatedItems(values, place.item._itemClass, 'bulk')),
      },
      readings: {
        place: (ctx, key, versionId) => readings.place(ctx, key, versionId, 'measure'),
        prepare: async (ctx, place, values, rule) => readings.prepare(ctx, place, await parseReadings(values), rule),
      },
    };
  }

  of(name: RowKindName): RowKind {
    return this.kinds[name];
  }
}
