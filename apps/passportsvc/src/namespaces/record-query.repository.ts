import { type NamespaceScope, type ScopeArea, wholeNamespaces } from '@twinyard/auth';
import { isUuid } from '@twinyard/conventions';
import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { type RecordFilter, toLikePattern } from './record-filter';

interface ReachPredicate {
  readonly sql: string;
  readonly parameters: Readonly<Record<string, readonly string[] | string>>;
}

/** Tables whose ids are no UUIDs. */
const TEXT_IDS: readonly string[] = ['app'];

/**
 * A record of this service is reached from its own namespace and from that of what it was made in: whoever manages the
 * workspaces of an application manages each of them. `columns` are the SQL expressions of those namespaces.
 *
 * Each arm of the OR begins with a condition that an index answers, so that PostgreSQL joins their bitmaps and looks at no record
 * that is out of reach: of 100,000 groups it had compared each with each single grant.
 */
export function reachPredicate(scope: NamespaceScope, alias: string, columns: readonly string[]): ReachPredicate {
  const hasUuids = !TEXT_IDS.includes(alias);
  const single = scope.areas.filter(({ ids }) => ids.length > 0).map((area) => singleIn(area, hasUuids)).filter(({ ids }) => ids !== '');
  const inWhole = columns.map((column) => `${column} = ANY(:wholeNamespaces)`).join(' OR ');
  const isGranted = columns.map((column) => `(${column}, ${alias}.id::text) IN (SELECT * FROM unnest(:singleNamespaces::text[], :singleIds::text[]))`).join(' OR ');
  return {
    sql: `(${inWhole} OR (${alias}.id = ANY(:singleIds::${hasUuids ? 'uuid' : 'text'}[]) AND (${isGranted})))`,
    parameters: { wholeNamespaces: wholeNamespaces(scope), singleNamespaces: `{${single.map(({ namespaces }) => namespaces).join(',')}}`, singleIds: `{${single.map(({ ids }) => ids).join(',')}}` },
  };
}

/** Elements of two arrays of one length, as PostgreSQL writes them (section 8.15.2 of its manual). */
interface SingleRecords {
  readonly namespaces: string;
  readonly ids: string;
}

/** An area is as long-lived as the caller's grants, and there may be hundreds of single grants in each request: so they are written out once. */
const known = { uuid: new WeakMap<ScopeArea, SingleRecords>(), text: new WeakMap<ScopeArea, SingleRecords>() };

function singleIn(area: ScopeArea, hasUuids: boolean): SingleRecords {
  const of = known[hasUuids ? 'uuid' : 'text'];
  const ids = of.has(area) ? [] : area.ids.filter((id) => !hasUuids || isUuid(id));
  const single = of.get(area) ?? { ids: ids.map((id) => element(id.toLowerCase())).join(','), namespaces: ids.map(() => element(area.namespace)).join(',') };
  of.set(area, single);
  return single;
}

const element = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`;

/** The database counts `position` up as records are made. */
export const CREATION_ORDER = ['position'] as const;

const COLUMNS = [['ids', 'id::text'], ['names', 'name'], ['shortNames', 'short_name'], ['userTypes', 'user_type']] as const;

export function applyFilter<E extends ObjectLiteral>(query: SelectQueryBuilder<E>, alias: string, filter: RecordFilter): void {
  for (const [key, column] of COLUMNS) {
    if (filter[key] !== undefined) query.andWhere(`${alias}.${column} = ANY(:${key})`, { [key]: filter[key] });
  }
  if (filter.text !== undefined) {
    query.andWhere(`(${alias}.name ILIKE :searched OR ${alias}.short_name ILIKE :searched OR ${alias}.description ILIKE :searched)`, { searched: toLikePattern(filter.text) });
  }
}

/** For records with `_userAttributes`: a dot in a key leads into the attribute, or belongs to its name. */
export function applyAttributes<E extends ObjectLiteral>(query: SelectQueryBuilder<E>, alias: string, filter: RecordFilter): void {
  for (const [index, [key, value]] of Object.entries(filter.attributes ?? {}).entries()) {
    const [k, v] = [`attribute${index}`, `attributeValue${index}`];
    query.andWhere(`(${alias}.user_attributes ->> :${k} = :${v} OR ${alias}.user_attributes #>> string_to_array(:${k}, '.') = :${v})`, { [k]: key, [v]: value });
  }
}
