import type { NamespaceScope, ScopeArea } from '@twinyard/auth';
import { type Action, type ResourceCriteria, ServiceError } from '@twinyard/conventions';
import type { JsonObject, ParsedFilter } from '@twinyard/documents';
import { isDottedPath } from '../encryption/dotted-names';
import { own } from '../storage/filters';
import type { NamedItem } from './named-item';

/** Which related items of a collection are in reach. */
export type Reach = 'all' | 'none' | ParsedFilter;

/** What an operation on related items needs: one of `whole` on the collection, or one of `part` on some of its items (contract 0.4). */
interface Rights {
  readonly whole: readonly Action[];
  readonly part: readonly Action[];
}

/** EDIT on a collection covers making, changing and deleting; a grant on some of its items covers exactly its action. */
export const RIGHTS = {
  read: { whole: ['READ'], part: ['READ'] },
  add: { whole: ['EDIT', 'CREATE'], part: ['CREATE'] },
  change: { whole: ['EDIT'], part: ['EDIT'] },
  remove: { whole: ['EDIT'], part: ['DELETE'] },
  /** Readings of telemetry items: new ones, and the same again. */
  measure: { whole: ['EDIT', 'CREATE'], part: ['EDIT', 'CREATE'] },
} as const satisfies Record<string, Rights>;

export type Use = keyof typeof RIGHTS;

/** For places where nothing is in reach. */
export const NOTHING = own({ _id: { $in: [] } });

/** What grants on the collection itself, and on some of its related items, give together. */
export function reachOf(scopes: readonly NamespaceScope[], item: NamedItem): Reach {
  return areasOf(scopes, item).some((area) => coversItem(area, item)) ? 'all' : partOf(scopes, item);
}

/** What grants on some related items give, whatever there is on the collection. */
export function partOf(scopes: readonly NamespaceScope[], item: NamedItem): 'none' | ParsedFilter {
  const granted = areasOf(scopes, item).flatMap(({ subresources }) => subresources).filter(({ id }) => id === item._id);
  const conditions = granted.flatMap(({ subresource }) => toCondition(subresource._criteria, item));
  if (conditions.length === 0) return 'none';
  return own(conditions.length === 1 ? (conditions[0] as JsonObject) : { $or: conditions });
}

const areasOf = (scopes: readonly NamespaceScope[], item: NamedItem) => scopes.flatMap(({ areas }) => areas).filter(({ namespace }) => item._namespaces.includes(namespace));

const coversItem = ({ whole, ids, criteria }: ScopeArea, item: NamedItem) => whole || ids.includes(item._id) || criteria.some((one) => meets(item, one));

const meets = (item: NamedItem, { _itemClass, _userType }: ResourceCriteria) =>
  (_itemClass === undefined || _itemClass === item._itemClass) && (_userType === undefined || _userType === item._userType);

/** A field has a value, as a filter would say it. What no filter can say selects nothing: a grant never reaches further than it can be read. */
function toCondition(criteria: Readonly<Record<string, unknown>>, { _encryptionEnabled }: NamedItem): JsonObject[] {
  if (_encryptionEnabled === true && Object.keys(criteria).some(isDottedPath)) return [];
  const condition = { $and: Object.entries(criteria).map(([field, value]) => ({ [field]: { $eq: value } })) };
  try {
    own(condition);
    return [condition];
  } catch (error) {
    if (error instanceof ServiceError) return [];
    throw error;
  }
}
