import type { CollectionRef } from '../document';
import type { Filter, TargetedQuery } from '../document-store';
import type { Link, LinkCondition, LinksOf } from '../links';
import { tableOf } from './collection-catalogue.adapter';
import type { PgConnection } from './connection.adapter';
import type { HeavyPages, LightList } from './heavy-pages.adapter';
import { type CompiledCondition, type CompiledTerm, linkedAmongStatement, linkedPageStatement, type LinkedPageRow, pageIdsStatement, type PageIdsRow } from './linked-page-statement';
import type { CompiledFind } from './page-statement';
import { isOfDropped } from './read-errors';
import { Statement } from './statement';
import { linksStatement, type LinksRow } from './text-rows-statement';

/** What the store knows of its collections. */
interface Collections {
  readonly find: (statement: Statement, wanted: TargetedQuery) => Promise<CompiledFind>;
  /** In whatever partition. */
  readonly where: (statement: Statement, collection: string, filter: Filter) => Promise<string>;
  readonly existing: (names: readonly string[]) => Promise<ReadonlySet<string>>;
}

/** What is at the other ends of links is asked one by one when it is more than this. */
const MAX_JOINED = 32;
/** Larger pages are halved. */
const HALVED = 1_000;
const EMPTY: LinkedLists = { lists: [], total: 0 };

/** A page in parts, one behind the other. */
export interface LinkedLists {
  readonly lists: readonly LightList[];
  readonly total: number;
}

/** Links, and pages of documents by what they are linked to. */
export class LinkedReads {
  constructor(private readonly connection: PgConnection, private readonly collections: Collections, private readonly heavy: Pick<HeavyPages, 'lightBytes'>) {}

  async links(wanted: LinksOf): Promise<Link[]> {
    if (wanted.near.names.length === 0 || wanted.owners.length === 0) return [];
    const statement = new Statement();
    const [found] = await this.connection.read<LinksRow>(linksStatement(statement, tableOf(wanted.in.name), wanted), statement);
    return (found?.near ?? []).map((near, place) => ({ near, owner: found?.owner[place] as string, partition: found?.partition[place] as string, id: found?.id[place] as string }));
  }

  /** A collection that is dropped meanwhile holds nothing any more. */
  async page(wanted: TargetedQuery, condition: LinkCondition): Promise<LinkedLists | 'too many'> {
    if (condition.terms.flatMap(({ targets }) => targets).length > MAX_JOINED) return 'too many';
    try {
      return await this.pageOf(wanted, condition);
    } catch (error) {
      if (!isOfDropped(error)) throw error;
      const there = await this.collections.existing([wanted.target.name, ...condition.terms.flatMap(({ targets }) => targets.map(({ name }) => name))]);
      if (!there.has(wanted.target.name)) return EMPTY;
      return this.pageOf(wanted, { ...condition, terms: condition.terms.map(({ links, targets }) => ({ links, targets: targets.filter(({ name }) => there.has(name)) })) });
    }
  }

  private pageOf(wanted: TargetedQuery, condition: LinkCondition): Promise<LinkedLists> {
    return wanted.limit > HALVED ? this.halves(wanted, condition) : this.whole(wanted, condition);
  }

  private async whole(wanted: TargetedQuery, condition: LinkCondition): Promise<LinkedLists> {
    const statement = new Statement();
    const find = await this.collections.find(statement, wanted);
    const [row] = await this.connection.read<LinkedPageRow>(linkedPageStatement(statement, find, wanted, await this.compile(statement, condition)), statement);
    return row === undefined ? EMPTY : { lists: [row], total: row.total };
  }

  /** On two connections: the server works at a statement with one process. */
  private async halves(wanted: TargetedQuery, condition: LinkCondition): Promise<LinkedLists> {
    const statement = new Statement();
    const [page] = await this.connection.read<PageIdsRow>(pageIdsStatement(statement, await this.collections.find(statement, wanted), wanted), statement);
    const { ids, total } = page ?? { ids: [], total: 0 };
    const middle = Math.ceil(ids.length / 2);
    const lists = await Promise.all([0, middle].map(async (from) => ({ ...(await this.among(wanted.target, ids.slice(from, from === 0 ? middle : undefined), condition)), from })));
    return { lists, total };
  }

  private async among({ name, partition }: CollectionRef, ids: readonly string[], condition: LinkCondition): Promise<LightList> {
    const statement = new Statement();
    const sql = linkedAmongStatement(statement, { table: tableOf(name), partition, ids }, await this.compile(statement, condition));
    const [row] = await this.connection.read<LinkedPageRow>(sql, statement);
    return row ?? { list: '', rest: null };
  }

  private async compile(statement: Statement, { every, terms }: LinkCondition): Promise<CompiledCondition> {
    const compiled: CompiledTerm[] = [];
    for (const { links, targets } of terms) {
      const tables: CompiledTerm['targets'][number][] = [];
      for (const { owner, name, filter } of targets) tables.push({ owner, table: tableOf(name), where: await this.collections.where(statement, name, filter) });
      compiled.push({ links, linksTable: tableOf(links.in.name), targets: tables });
    }
    return { every, terms: compiled, lightBytes: this.heavy.lightBytes };
  }
}
