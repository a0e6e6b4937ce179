import { conflict, invalid, type ServiceError, tooLarge } from '@twinyard/conventions';
import { isDuplicateKey, translateStoreError } from '@twinyard/service-kit';

const PARALLEL_ARRAYS = 171;
/** BSONObjectTooLarge, and nested deeper than BSON goes. */
const TOO_LARGE = new Set<unknown>([10_334, 17_419, 17_420, 15]);

/** What the driver adds to a duplicate key: the operation that met it, `q` being the filter of an update. */
interface Refused {
  readonly message?: string;
  readonly writeErrors?: readonly { readonly err?: { readonly op?: Operation } }[];
}
interface Operation {
  readonly _id?: { readonly id?: string };
  readonly q?: { readonly _id?: { readonly id?: string } };
}

export function translateWriteError(error: unknown): unknown {
  if (isDuplicateKey(error)) return duplicate(error as Refused);
  const { code, message } = error as { code?: unknown; message?: string };
  if (code === PARALLEL_ARRAYS) return invalid('There are lists on two paths of one index', [{ field: 'index', issue: 'has lists on two of its paths' }]);
  if (TOO_LARGE.has(code) || /larger than the maximum size/.test(message ?? '')) return tooLarge('A document is larger than the store can hold (16 MB)');
  return translateStoreError(error);
}

/** Names what is there already. `index: _id_ dup key: …` is MongoDB's wording. */
function duplicate(error: Refused): ServiceError {
  const id = refusedId(error);
  const isId = /index: _id_ /.test(error.message ?? '');
  const held = id === undefined ? 'two documents hold the same values' : `a unique index holds the values of ${JSON.stringify(id)} already`;
  const issue = isId ? `${JSON.stringify(id ?? '')} is there already` : held;
  const translated = conflict(isId ? `_id: ${issue}` : `There is one already: ${issue}`, [{ field: isId ? '_id' : 'index', issue }]);
  return Object.assign(translated, { cause: error });
}

/** None when an index is made of documents that are there. */
function refusedId({ writeErrors }: Refused): string | undefined {
  const operation = writeErrors?.[0]?.err?.op;
  return (operation?._id ?? operation?.q?._id)?.id;
}
