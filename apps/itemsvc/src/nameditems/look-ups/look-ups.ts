import { isObjectId } from '@twinyard/conventions';
import { idFilter, type ParsedFilter, type TargetedQuery } from '@twinyard/documents';
import { ITEMS } from '../../storage/collections';
import { narrowed, own } from '../../storage/filters';

/** Keys that are remembered for each reach. */
const MOST = 1_000;

/**
 * Questions for an item by its `_id` or `_userItemId`, within a reach. The reach of a caller stays the same for as long as its grants do, and what it reads again and
 * again is asked for by the very same question, which the store knows then.
 */
export class LookUps {
  private readonly byReach = new WeakMap<ParsedFilter, Map<string, TargetedQuery>>();

  /** Without a reach nothing is found. */
  of(reach: ParsedFilter | undefined, key: string): TargetedQuery {
    if (reach === undefined) return NOTHING;
    const known = this.byReach.get(reach) ?? new Map<string, TargetedQuery>();
    this.byReach.set(reach, known);
    const query = known.get(key) ?? { target: ITEMS, filter: narrowed(undefined, byKey(key), reach), limit: 1 };
    if (known.size < MOST) known.set(key, query);
    return query;
  }
}

const byKey = (key: string) => (isObjectId(key) ? idFilter(key) : own({ _userItemId: key }));

const NOTHING: TargetedQuery = { target: ITEMS, filter: own({ _id: { $in: [] } }), limit: 1 };
