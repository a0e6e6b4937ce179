/**
 * What kind of failure of a MongoDB database an error is. By name, code and label, not by class: the services on PostgreSQL ask
 * this too, and need not load the driver for it.
 */

const DUPLICATE_KEY = 11_000;

/** Another transaction was there first; what has been tried is undone and may be tried again. */
export class LostRace extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'LostRace';
  }
}

const LOST_NAMES = new Set([
  'MongoNetworkError', 'MongoNetworkTimeoutError', 'MongoServerSelectionError', 'MongoNotConnectedError', 'MongoTopologyClosedError',
  'MongoServerClosedError', 'MongoPoolClosedError', 'MongoPoolClearedError', 'PoolClearedOnNetworkError', 'MongoWaitQueueTimeoutError',
  'MongoOperationTimeoutError', 'MongoClientClosedError',
]);

/** Codes of a server that goes down, is being replaced as the primary, or does not reach the majority ("Server Discovery and Monitoring"). */
const LOST_CODES = new Set([6, 7, 64, 89, 91, 133, 134, 189, 262, 9001, 10_058, 10_107, 11_600, 11_602, 13_435, 13_436]);

/** Whether the database could not be reached, as against having refused the operation. */
export function isMongoConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'MongoBulkWriteError') return LOST_CODES.has(codeOf(error) as number) || isMongoConnectionLost(insideOf(error));
  return LOST_NAMES.has(error.name) || (error.name.startsWith('Mongo') && LOST_CODES.has(codeOf(error) as number));
}

export const isDuplicateKey = (error: unknown): boolean => codeOf(error) === DUPLICATE_KEY;

/** The transaction is not committed and may be tried again as a whole. Looks through errors that adapters have translated. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error instanceof LostRace || hasLabel(error, 'TransientTransactionError') || isTransient(error.cause);
}

/** Nobody can tell yet whether the transaction is committed; the commit may be sent again. */
export const isCommitUnknown = (error: unknown): boolean => hasLabel(error, 'UnknownTransactionCommitResult') && codeOf(error) !== MAX_TIME_EXPIRED;

const MAX_TIME_EXPIRED = 50;

/** The driver has waited for a server as long as it was told to; another try would wait as long. */
export function hasWaitedForServer(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === 'MongoServerSelectionError' || hasWaitedForServer(error.cause) || hasWaitedForServer(insideOf(error));
}

/** A bulk write hides what has happened to it behind an error of its own. */
const insideOf = (error: Error): unknown => (error as { errorResponse?: unknown }).errorResponse;

export const codeOf = (error: unknown): unknown => (error as { code?: unknown } | null | undefined)?.code;

function hasLabel(error: unknown, label: string): boolean {
  const labelled = error as { hasErrorLabel?: (name: string) => boolean } | null | undefined;
  return typeof labelled?.hasErrorLabel === 'function' && labelled.hasErrorLabel(label);
}
