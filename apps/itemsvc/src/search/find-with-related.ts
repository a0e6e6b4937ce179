import { Injectable } from '@nestjs/common';
import type { NamespaceScope } from '@twinyard/auth';
import { limitExceeded, toPage } from '@twinyard/conventions';
import { RelatedItemsRepository, type Spot } from '../relateditems/related-items.repository';
import { endKey } from '../relationships/relation';
import { hidesId, withId, without } from '../storage/projected-ids';
import { attach, RelatedFinder, type Row, type RowSource, twoAtATime } from './related-finder';
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
    const wanted = withId(projection);
    const { rows, total } = await this.related.list(spot, { paging, ...(query && { filter: query }), ...(sort && { sort }), ...(wanted && { projection: wanted }) });
    const hidden = hidesId(projection);
    const parents = rows.map((row): Row => ({ key: endKey(spot.versionId, row._id), view: hidden ? without(row, '_id') : row }));
    const kept = search.relatedFilter === undefined ? parents : await this.filter(scope, parents, search.relatedFilter);
    await this.finder.expand(scope, kept, search.related);
    return {
      _relatedItems: {
        ...toPage({ rows: kept, total }, paging, ({ view }) => view),
        ...(search.relatedFilter && { _filteredSize: kept.length }),
      },
      ...(search.distinct.length > 0 && { _relatedDistinctFields: await this.distinct(scope, spot, search) }),
    };
  }

  private async filter(scope: NamespaceScope, parents: readonly Row[], { every, includeResult, terms }: RelatedFilter): Promise<Row[]> {
    const results = await twoAtATime(terms, (term) => this.finder.matches(scope, parents, term, includeResult));
    const kept = parents.filter(({ key }) => (every ? results.every(([, matches]) => matches.has(key)) : results.some(([, matches]) => matches.has(key))));
    for (const [term, matches] of includeResult ? results.filter(([{ as }]) => as !== '') : []) {
      for (const parent of kept) attach(parent, term, matches.get(parent.key) ?? []);
    }
    return kept;
  }

  /** Over all parents that meet the query, not only those of the page. */
  private async distinct(scope: NamespaceScope, spot: Spot, { query, distinct }: FindWithRelated): Promise<Record<string, unknown>[]> {
    const ids = await this.related.idsOf(spot, query, MAX_DISTINCT_PARENTS + 1);
    if (ids.length > MAX_DISTINCT_PARENTS) throw limitExceeded(`relatedDistinctFields takes at most ${MAX_DISTINCT_PARENTS} parents; narrow the query`);
    const parents = ids.map((id): RowSource => ({ key: endKey(spot.versionId, id) }));
    const fields = [];
    for (const field of distinct) fields.push({ [field.as]: await this.finder.distinct(scope, parents, field) });
    return fields;
  }
}
