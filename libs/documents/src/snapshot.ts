import { mapInTurns, Turn } from '@twinyard/conventions';
import type { Deadline } from './deadline';
import type { CollectionRef, StoredDocument } from './document';
import type { FindQuery } from './document-store';
import type { Reading } from './reading-store';

/** All that matches, or the part of it that `skip` and `limit` name: whoever reads says when it is enough. */
export interface StreamQuery extends Omit<FindQuery, 'limit' | 'mayBeCut'> {
  readonly limit?: number;
  /** When the reader must be done with it; the store works no longer. */
  readonly deadline?: Deadline;
}

/** Of documents as they are stored. */
export type WholeStreamQuery = Omit<StreamQuery, 'projection'>;

/**
 * The store as it is at one moment, to be read at length: what is written afterwards does not show, in however many streams. Some
 * megabytes of a stream are in memory at a time; the next are fetched when the reader comes for them, and a reader that leaves its loop
 * ends the query. It holds a connection, so it must be closed. (On MongoDB without transactions, which is for tests, a stream is not of one moment.)
 * Errors of a stream: `query_too_slow` when regular expressions have taken 2 s in it, one fetch a minute, or all the time till its deadline.
 */
export abstract class Snapshot {
  /** In the order of creation, or as `sort` says. */
  abstract documents(target: CollectionRef, query: StreamQuery): AsyncGenerator<readonly StoredDocument[], void>;
  abstract readings(target: CollectionRef, query: StreamQuery): AsyncGenerator<readonly Reading[], void>;

  /** The same documents as JSON, a text without line breaks for each: for whoever hands them on as they are, since to read and write them takes longer than all the rest. */
  documentTexts(target: CollectionRef, query: WholeStreamQuery): AsyncGenerator<readonly string[], void> {
    return textsOf(this.documents(target, query));
  }

  readingTexts(target: CollectionRef, query: WholeStreamQuery): AsyncGenerator<readonly string[], void> {
    return textsOf(this.readings(target, query));
  }

  /** Ends what is being read too. As often as one likes. */
  abstract close(): Promise<void>;
}

async function* textsOf(parts: AsyncIterable<readonly object[]>): AsyncGenerator<readonly string[], void> {
  const turn = new Turn();
  for await (const part of parts) yield mapInTurns(part, (document) => JSON.stringify(document), turn);
}

/** What one stream reads, out of a snapshot of its own: that is opened when somebody comes for the first part, and closed with the stream. */
export async function* streamOf<T>(open: () => Snapshot | Promise<Snapshot>, read: (snapshot: Snapshot) => AsyncGenerator<readonly T[], void>): AsyncGenerator<readonly T[], void> {
  const snapshot = await open();
  try {
    yield* read(snapshot);
  } finally {
    await snapshot.close();
  }
}
