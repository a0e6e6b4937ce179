import type { CollectionRef, StoredDocument } from './document';
import type { FindQuery } from './document-store';
import type { Reading } from './reading-store';

/** All that matches: whoever reads says when it is enough. */
export type StreamQuery = Omit<FindQuery, 'skip' | 'limit'>;

/**
 * The store as it is at one moment, to be read at length: what is written afterwards does not show, in however many streams. Some
 * megabytes of a stream are in memory at a time; the next are fetched when the reader comes for them, and a reader that leaves its loop
 * ends the query. It holds a connection, so it must be closed. (On MongoDB without transactions, which is for tests, a stream is not of one moment.)
 */
export abstract class Snapshot {
  /** In the order of creation, or as `sort` says. */
  abstract documents(target: CollectionRef, query: StreamQuery): AsyncGenerator<readonly StoredDocument[], void>;
  abstract readings(target: CollectionRef, query: StreamQuery): AsyncGenerator<readonly Reading[], void>;
  /** Ends what is being read too. As often as one likes. */
  abstract close(): Promise<void>;
}
