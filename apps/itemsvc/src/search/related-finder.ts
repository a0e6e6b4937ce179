import { Injectable } from '@nestjs/common';
import { limitExceeded } from '@twinyard/conventions';
import type { JsonObject, Link, LinkTerm } from '@twinyard/documents';
import { type AskedPaths, refuseEncryptedPaths } from '../encryption/refused-paths';
import { ITEM_CLASSES, type NamedItem } from '../nameditems/named-item';
import { NamedItemsRepository } from '../nameditems/named-items.repository';
import { type NamespaceScope } from '@twinyard/auth';
import { RelatedItemsRepository, type Spot, spotInReach } from '../relateditems/related-items.repository';
import { endKey } from '../relationships/relation';
import { RelationsRepository } from '../relationships/relations.repository';
import { FoundRow } from './found-row';
import type { RelatedDesc, RelatedSearch } from './search-request';

export interface RowSource {
  readonly key: string;
}

/** Relations that one step of a search may go through. */
const MAX_RELATIONS = 200_000;
/** Collections that one description may select. */
const MAX_COLLECTIONS = 1_000;

/** Items of one collection version. */
interface FarEnd {
  readonly spot: Spot;
  readonly ids: readonly string[];
}

/** The other ends of the parents' relations: which items, of which collection versions, belong to which parents. */
interface Ends {
  readonly spots: readonly FarEnd[];
  readonly parents: ReadonlyMap<string, readonly string[]>;
}

/**
 * Goes one level along relations for all parents at once: one query for the collections, one for the relations, one for the
 * items of each related collection version. Related items of a collection that the caller may not READ do not appear.
 */
@Injectable()
export class RelatedFinder {
  constructor(
    private readonly items: NamedItemsRepository,
    private readonly related: RelatedItemsRepository,
    private readonly relations: RelationsRepository,
  ) {}

  /** Puts a page of related items under every alias of every parent, nested searches included. */
  async expand(scope: NamespaceScope, parents: readonly FoundRow[], searches: readonly RelatedSearch[]): Promise<void> {
    if (parents.length === 0) return;
    const found = await twoAtATime(searches, (search) => this.matches(scope, parents, search, search.paging.pageSize > 0));
    for (const [search, matches] of found) {
      const shown = new Map<string, FoundRow>();
      for (const parent of parents) for (const row of attach(parent, search, matches.get(parent.key) ?? [])) shown.set(row.key, row);
      await this.expand(scope, [...shown.values()], search.related);
    }
  }

  /** For each parent the related items that meet the search, in its order. Without bodies only the ids are read. */
  async matches(scope: NamespaceScope, parents: readonly RowSource[], search: RelatedSearch, withBodies: boolean): Promise<ReadonlyMap<string, readonly FoundRow[]>> {
    const { spots, parents: parentsOf } = await this.ends(scope, parents, search);
    const found = new Map<string, FoundRow[]>();
    for (const { spot, ids } of spots) {
      for (const row of await this.read(scope.tenant, { spot, ids }, search, withBodies)) {
        for (const parent of parentsOf.get(row.key) ?? []) append(found, parent, row);
      }
    }
    return found;
  }

  /** Whether an item is related to one that meets the search, for the store to answer; of what the caller may READ. */
  async term(scope: NamespaceScope, versionId: string, search: AskedPaths & { readonly desc: RelatedDesc; readonly query?: JsonObject }): Promise<LinkTerm> {
    const targets = (await this.targets(scope, search)).flatMap((item) => {
      const spot = spotInReach([scope], item, item._tipId);
      return spot === undefined ? [] : [this.related.linkTarget(spot, search.query)];
    });
    return { links: this.relations.linksOf(search.desc.direction, versionId), targets };
  }

  /** The values of a field over all items that are related to the parents. */
  async distinct(scope: NamespaceScope, parents: readonly RowSource[], search: { readonly desc: RelatedDesc; readonly field: string; readonly query?: Readonly<Record<string, unknown>> }): Promise<unknown[]> {
    const { spots } = await this.ends(scope, parents, search);
    const parts = await twoAtATime(spots, ({ spot, ids }) => this.related.distinct(spot, search.field, search.query, ids));
    const values = parts.flatMap(([, found]) => found.map(({ value }) => value));
    return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
  }

  private async read(tenant: string, { spot, ids }: FarEnd, { query, sort, projection }: RelatedSearch, withBodies: boolean): Promise<FoundRow[]> {
    const wanted = withBodies ? projection : { _id: 1 };
    const rows = await this.related.textsAmong(spot, ids, {
      tenant, ...(query && { filter: query }), ...(sort && withBodies && { sort }), ...(wanted && { projection: wanted }),
    });
    return rows.map(({ id, text }) => new FoundRow(endKey(spot.versionId, id), text));
  }

  private async ends(scope: NamespaceScope, parents: readonly RowSource[], search: AskedPaths & { readonly desc: RelatedDesc }): Promise<Ends> {
    const { direction } = search.desc;
    const targets = await this.targets(scope, search);
    const relations = await this.relations.ofItems(direction, parents.map(({ key }) => key), targets.map(({ _id }) => _id), MAX_RELATIONS + 1);
    if (relations.length > MAX_RELATIONS) throw limitExceeded(`The search leads along more than ${MAX_RELATIONS} relations; narrow the parents`, 'related');
    return inReach(toEnds(relations), scope, new Map(targets.map((item) => [item._id, item])));
  }

  private async targets(scope: NamespaceScope, search: AskedPaths & { readonly desc: RelatedDesc }): Promise<NamedItem[]> {
    const found = await this.items.findWhere([scope], search.desc.collections, MAX_COLLECTIONS, { withParts: true });
    const targets = found.filter(({ _itemClass }) => ITEM_CLASSES[_itemClass].holdsItems);
    if (targets.some(({ _encryptionEnabled }) => _encryptionEnabled)) refuseEncryptedPaths(search);
    return targets;
  }
}

function toEnds(relations: readonly Link[]): Ends {
  const spots = new Map<string, { readonly spot: Spot; readonly ids: Set<string> }>();
  const parents = new Map<string, string[]>();
  for (const { near, owner, partition, id } of relations) {
    const entry = spots.get(partition) ?? { spot: { itemId: owner, versionId: partition }, ids: new Set<string>() };
    spots.set(partition, entry);
    entry.ids.add(id);
    append(parents, endKey(partition, id), near);
  }
  return { spots: [...spots.values()].map(({ spot, ids }) => ({ spot, ids: [...ids] })), parents };
}

/** The ends as far as the caller may READ them. */
function inReach({ spots, parents }: Ends, scope: NamespaceScope, items: ReadonlyMap<string, NamedItem>): Ends {
  const reached = spots.flatMap(({ spot: { itemId, versionId }, ids }) => {
    const item = items.get(itemId);
    const spot = item && spotInReach([scope], item, versionId);
    return spot === undefined ? [] : [{ spot, ids }];
  });
  return { spots: reached, parents };
}

/** The store finds one answer while the one before is put together; no request takes more of its connections. */
export async function twoAtATime<T, R>(list: readonly T[], work: (entry: T) => Promise<R>): Promise<(readonly [T, R])[]> {
  const done: (readonly [T, R])[] = [];
  for (let at = 0; at < list.length; at += 2) done.push(...(await Promise.all(list.slice(at, at + 2).map(async (entry) => [entry, await work(entry)] as const))));
  return done;
}

/** Puts the page of a search under a parent; the rows that are on it. */
export function attach(parent: FoundRow, { as, paging }: Pick<RelatedSearch, 'as' | 'paging'>, rows: readonly FoundRow[]): readonly FoundRow[] {
  const shown = rows.slice(paging.offset, paging.offset + paging.pageSize);
  parent.put(as, { rows: shown, total: rows.length, paging });
  return shown;
}

function append<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
