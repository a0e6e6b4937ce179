import type { NamespaceScope, ScopeArea } from '@twinyard/auth';
import { allOf, type JsonObject, type ParsedFilter, parseFilter } from '@twinyard/documents';

/** A filter of our own, as wide as the job needs. */
export const own = (filter: JsonObject): ParsedFilter => parseFilter(filter, { unlimited: true });

/** What the caller asked for, narrowed by filters of ours. The caller's is parsed first: its faults are its own. */
export const narrowed = (asked: JsonObject | undefined, ...ours: readonly ParsedFilter[]): ParsedFilter =>
  asked === undefined ? allOf(...ours) : allOf(parseFilter(asked), ...ours);

/** Where a document holds what grants speak of. */
export interface ScopeFields {
  readonly id: string;
  readonly namespaces: string;
  readonly itemClass: string;
  readonly userType: string;
}

const ITEM_SCOPE_FIELDS: ScopeFields = { id: '_id', namespaces: '_namespaces', itemClass: '_itemClass', userType: '_userType' };

/**
 * Grants as a condition of the store (contract 0.4), so that lists and totals hold only what the caller may reach. A grant on
 * some related items of a collection opens nothing here. `undefined`: nothing is in reach.
 */
export function scopeFilter(scopes: readonly NamespaceScope[], fields: ScopeFields = ITEM_SCOPE_FIELDS): ParsedFilter | undefined {
  return anyOf(scopes.flatMap(({ areas }) => areas.flatMap((area) => branchesOf(area, fields))));
}

/** Of areas, one after the other: what their filter is, and those that go on from them. */
interface Known {
  filter?: ParsedFilter;
  readonly longer: WeakMap<ScopeArea, Known>;
}

/** A caller's areas stay the same for as long as its grants, and most questions are about one namespace, for three actions at most. */
const withParts: Known = { longer: new WeakMap() };
const MOST_KNOWN_AREAS = 4;

/** The same, with the collections of which some related items are in reach: for operations on related items alone. Of the same areas it is the same filter. */
export function scopeFilterWithParts(scopes: readonly NamespaceScope[]): ParsedFilter | undefined {
  const areas = scopes.flatMap(({ areas }) => areas);
  const make = () => anyOf(areas.flatMap(branchesWithParts));
  if (areas.length > MOST_KNOWN_AREAS) return make();
  const known = areas.reduce(follow, withParts);
  const filter = known.filter ?? make();
  if (filter !== undefined) known.filter = filter;
  return filter;
}

function follow({ longer }: Known, area: ScopeArea): Known {
  const known = longer.get(area) ?? { longer: new WeakMap() };
  longer.set(area, known);
  return known;
}

const branchesWithParts = (area: ScopeArea): JsonObject[] => [...branchesOf(area, ITEM_SCOPE_FIELDS), ...partsOf(area)];

/** Each of them once: several actions are mostly granted on the same. */
function anyOf(branches: readonly JsonObject[]): ParsedFilter | undefined {
  const distinct = branches.length < 2 ? branches : [...new Map(branches.map((branch) => [JSON.stringify(branch), branch])).values()];
  const [first] = distinct;
  return first && own(distinct.length === 1 ? first : { $or: distinct });
}

function branchesOf({ namespace, whole, ids, criteria }: ScopeArea, fields: ScopeFields): JsonObject[] {
  const inside = { [fields.namespaces]: namespace };
  if (whole) return [inside];
  return [
    ...(ids.length > 0 ? [{ ...inside, [fields.id]: { $in: ids } }] : []),
    ...criteria.map(({ _itemClass, _userType }) => ({
      ...inside,
      ...(_itemClass !== undefined && { [fields.itemClass]: _itemClass }),
      ...(_userType !== undefined && { [fields.userType]: _userType }),
    })),
  ];
}

const partsOf = ({ namespace, subresources }: ScopeArea): JsonObject[] =>
  subresources.length === 0 ? [] : [{ _namespaces: namespace, _id: { $in: [...new Set(subresources.map(({ id }) => id))] } }];

export const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** Lists of ids go to the store in parts of this size. */
export const CHUNK = 5_000;

export function chunksOf<T>(list: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(list.length / CHUNK) }, (_, index) => list.slice(index * CHUNK, (index + 1) * CHUNK));
}
