import { Injectable } from '@nestjs/common';
import { type NamespaceScope } from '@twinyard/auth';
import { limitExceeded, pageSizeOf } from '@twinyard/conventions';
import type { LinkCondition } from '@twinyard/documents';
import { RelatedItemsRepository, type Spot } from '../relateditems/related-items.repository';
import { endKey } from '../relationships/relation';
import { FoundRow } from './found-row';
import { pageOf } from './json-pieces';
import { attach, RelatedFinder, type RowSource, twoAtATime } from './related-finder';
import type { FindWithRelated, RelatedFilter } from './search-request';

/** Parents whose related items are asked for distinct values. */
const MAX_DISTINCT_PARENTS = 100_000;

/** `$findWithRelated` in one collection version: parents, what is related to them, and which of them have something related. */
@Injectable()
export class FindRelated {
  constructor(
    private readonly related: RelatedItemsRepository,
    private readonly finder: RelatedFinder,
  ) {}

  async run(scope: NamespaceScope, spot: Spot, search: FindWithRelated): Promise<Record<string, unknown>> {
    const { paging, query, sort, projection } = search;
    const parentQuery = { tenant: scope.tenant, paging, ...(query && { filter: query }), ...(sort && { sort }), ...(projection && { projection }) };
    const condition = search.relatedFilter && (await this.conditionOf(scope, spot, search.relatedFilter));
    const found = await this.related.texts(spot, parentQuery, condition);
    const parents = found.rows.map(({ id, text }) => new FoundRow(endKey(spot.versionId, id), text));
    if (search.relatedFilter?.includeResult) await this.include(scope, parents, search.relatedFilter);
    await this.finder.expand(scope, parents, search.related);
    return {
      _relatedItems: pageOf(parents.map(({ json }) => json), found.total, { ...paging, pageSize: pageSizeOf(found, paging) }, search.relatedFilter && { _filteredSize: parents.length }),
      ...(search.distinct.length > 0 && { _relatedDistinctFields: await this.distinct(scope, spot, search) }),
    };
  }

  /** The store keeps the parents by what is related to them: neither they nor their relations travel for it. */
  private async conditionOf(scope: NamespaceScope, spot: Spot, { every, terms }: RelatedFilter): Promise<LinkCondition> {
    const found = await twoAtATime(terms, (term) => this.finder.term(scope, spot.versionId, term));
    return { every, terms: found.map(([, term]) => term) };
  }

  /** What made a parent stay, under the alias of each term that has one. */
  private async include(scope: NamespaceScope, parents: readonly FoundRow[], { terms }: RelatedFilter): Promise<void> {
    const named = terms.filter(({ as }) => as !== '');
    for (const [term, matches] of await twoAtATime(named, (one) => this.finder.matches(scope, parents, one, true))) {
      for (const parent of parents) attach(parent, term, matches.get(parent.key) ?? []);
    }
  }

  /** Over all parents that meet the query, not only those of the page. */
  private async distinct(scope: NamespaceScope, spot: Spot, { query, distinct }: FindWithRelated): Promise<Record<string, unknown>[]> {
    const ids = await this.related.idsOf(spot, query, MAX_DISTINCT_PARENTS + 1);
    if (ids.length > MAX_DISTINCT_PARENTS) throw limitExceeded(`relatedDistinctFields takes at most ${MAX_DISTINCT_PARENTS} parents; narrow the query`, 'relatedDistinctFields');
    const parents = ids.map((id): RowSource => ({ key: endKey(spot.versionId, id) }));
    const fields = [];
    for (const field of distinct) fields.push({ [field.as]: await this.finder.distinct(scope, parents, field) });
    return fields;
  }
}
