import { Injectable } from '@nestjs/common';
import { conflict, type FieldIssue, invalid, ServiceError, toldTogether } from '@twinyard/conventions';
import { type IndexSpec, parsePath, type StoredDocument } from '@twinyard/documents';
import { IndexesRepository } from '../indexes/indexes.repository';
import type { Place } from '../nameditems/item-access';
import type { RelatedItem, RelatedItemDraft } from './related-item';
import { listsOnPaths } from './lists-on-paths';
import { RelatedItemsRepository, wholeSpotOf } from './related-items.repository';

export interface WrittenItems {
  readonly place: Place;
  readonly drafts: readonly RelatedItemDraft[];
  /** As they were to be stored, in the order of the drafts. */
  readonly items: readonly RelatedItem[];
}

/** Items that are named; the rest is only counted. */
const NAMED = 100;

/**
 * Contract 2.5: a write that breaks a unique index is 409 naming the items, and what a store cannot hold in an index 400 naming item, path and
 * index. The store says that there is such an item; here is found which.
 */
@Injectable()
export class IndexFaults {
  constructor(private readonly indexes: IndexesRepository, private readonly related: RelatedItemsRepository) {}

  async named<T>(written: WrittenItems, write: () => Promise<T>): Promise<T> {
    try {
      return await write();
    } catch (error) {
      if (!isOfIndex(error)) throw error;
      throw error.code === 'conflict' ? await this.repeated(error, written) : await this.unfit(error, written);
    }
  }

  /** What was in the way may be gone by now: then the store's own words stay. */
  private async repeated(error: ServiceError, written: WrittenItems): Promise<ServiceError> {
    const unique = (await this.indexes.list(written.place.item._id)).filter(({ options }) => options.unique === true);
    const faults: FieldIssue[] = [];
    for (const index of unique) faults.push(...(await this.faultsOf(index, written)));
    return explained(error, faults, conflict);
  }

  /** MongoDB holds lists on one path of an index. */
  private async unfit(error: ServiceError, { place, drafts, items }: WrittenItems): Promise<ServiceError> {
    const indexes = await this.indexes.list(place.item._id);
    const faults = items.flatMap((item, at) => indexes.flatMap(({ key, options }): FieldIssue[] => {
      const paths = listsOnPaths(item, Object.keys(key));
      if (paths.length < 2) return [];
      return [{ field: drafts[at]?.at || item._id, issue: `has lists on ${paths.length} paths of the index ${JSON.stringify(options.name)}, which may have them on one: ${paths.join(', ')}` }];
    }));
    return explained(error, faults, invalid);
  }

  private async faultsOf(index: IndexSpec, { place, drafts, items }: WrittenItems): Promise<FieldIssue[]> {
    const paths = Object.keys(index.key);
    const own = new Set(items.map(({ _id }) => _id));
    const holders = new Map<string, string>();
    for (const other of await this.related.holding(wholeSpotOf(place), paths, items.map((item) => valueAt(item, paths[0] ?? '')))) {
      if (!own.has(other._id)) holders.set(keyOf(other, paths), place.seen === undefined ? `the item ${other._id}` : 'another item');
    }
    const faults: FieldIssue[] = [];
    for (const [at, item] of items.entries()) {
      const key = keyOf(item, paths);
      const holder = holders.get(key);
      if (holder !== undefined) faults.push({ field: drafts[at]?.at || item._id, issue: `the unique index ${JSON.stringify(index.options.name)} holds ${shorten(key)} for ${holder}` });
      else holders.set(key, drafts[at]?.at || item._id);
    }
    return faults;
  }
}

export const isOfIndex = (error: unknown): error is ServiceError => error instanceof ServiceError && error.details?.[0]?.field === 'index';

function explained(error: ServiceError, faults: readonly FieldIssue[], refusal: typeof conflict): ServiceError {
  if (faults.length === 0) return error;
  const told = toldTogether(faults.slice(0, 5));
  return Object.assign(refusal(told, faults.slice(0, NAMED)), { cause: error });
}

/** Of a value, in a message. */
const SHOWN = 200;
const shorten = (text: string) => (text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);

const keyOf = (document: StoredDocument, paths: readonly string[]) => JSON.stringify(paths.map((path) => valueAt(document, path) ?? null));

function valueAt(document: object, path: string): unknown {
  return parsePath(path, 'key').reduce<unknown>((value, name) => (typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined), document);
}
