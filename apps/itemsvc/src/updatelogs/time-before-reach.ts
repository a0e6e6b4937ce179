import type { NamedItem } from '../nameditems/named-item';
import type { StoredUpdate } from './update-log';

/** What grants reach named items by, and what may change of it. */
export const REACHED_BY = ['_userType', '_namespaces'] as const;

type Moving = (typeof REACHED_BY)[number];

/**
 * The latest change before which an item was not in reach: what its log, and those of what lies in it, tell up to then is of the time of others.
 * `moves` are the changes of what it is reached by, newest first.
 */
export function lastOutOfReach(item: NamedItem, moves: readonly StoredUpdate[], isReached: (item: NamedItem) => boolean): StoredUpdate | undefined {
  let then = item;
  return moves.find((move) => {
    then = before(then, move);
    return !isReached(then);
  });
}

const before = (item: NamedItem, { _changes }: StoredUpdate): NamedItem =>
  ({ ...item, ...Object.fromEntries(_changes.filter(({ _path }) => REACHED_BY.includes(_path as Moving)).map(({ _path, _from }) => [_path, _from])) });
