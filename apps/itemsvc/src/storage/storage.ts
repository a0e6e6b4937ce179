import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { type DocumentTx, DocumentStore, type StoredDocument } from '@twinyard/documents';
import { LOGGER, type Logger } from '@twinyard/service-kit';
import { collectionName, DROPPED, relatedItemsOf, REPLACED_INDEXES, SYSTEM_COLLECTIONS } from './collections';
import { own } from './filters';

const BATCH = 1_000;
/** Items or readings that one transaction removes: a second of work, however many there are. */
const CONTENTS_BATCH = 2_000;
/** The last instant that both stores know how to write. */
const END_OF_TIME = new Date('9999-12-31T23:59:59.999Z');

/** What is to be removed: the collection of an item, or what one version of it holds. */
interface Mark extends StoredDocument {
  /** Of the version's owner. Absent: the mark is of an item. */
  readonly itemId?: string;
}

/** Makes and removes the store's collections, and empties them: nothing that a transaction could hold. */
@Injectable()
export class Storage implements OnModuleInit {
  private isWanted = false;
  private running: Promise<void> | undefined;

  constructor(
    private readonly store: DocumentStore,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.makeCollections();
    // What a process has left half done may take its time; nobody sees it any more.
    void this.sweep();
  }

  /** Those that are there already stay as they are. */
  async makeCollections(): Promise<void> {
    for (const [{ name }, options] of SYSTEM_COLLECTIONS) await this.store.createCollection(name, options);
    for (const [{ name }, index] of REPLACED_INDEXES) await this.store.dropIndex(name, index);
    await this.store.renewIndexes();
  }

  /** In the transaction that deletes an item; `sweep` afterwards does the work, or the next start does. */
  async markDropped(tx: DocumentTx, itemId: string): Promise<void> {
    await this.store.deleteMany(tx, DROPPED, own({ itemId }));
    await this.store.insertMany(tx, DROPPED, [{ _id: itemId }]);
  }

  /** The same of a version whose related items and readings go, while those of its siblings stay. */
  async markEmptied(tx: DocumentTx, itemId: string, versionId: string): Promise<void> {
    await this.store.insertMany(tx, DROPPED, [{ _id: versionId, itemId }]);
  }

  /** Removes what is marked. Never fails: what is left is tried again by the next call, or at the next start. */
  sweep(): Promise<void> {
    this.isWanted = true;
    this.running ??= this.sweepWhileWanted().finally(() => (this.running = undefined));
    return this.running;
  }

  private async sweepWhileWanted(): Promise<void> {
    try {
      while (this.isWanted) {
        this.isWanted = false;
        const marks = await this.store.find(DROPPED, { limit: BATCH });
        const removed = await this.removeAll(marks);
        // Behind a whole page there may be more; where none of it could be removed, not now.
        if (marks.length === BATCH && removed > 0) this.isWanted = true;
      }
    } catch (error) {
      this.tellLeft(error);
    }
  }

  /** One that cannot be removed keeps none of the others. The number removed. */
  private async removeAll(marks: readonly Mark[]): Promise<number> {
    let removed = 0;
    for (const mark of marks) {
      await this.remove(mark).then(() => (removed += 1), (error: unknown) => this.tellLeft(error));
    }
    return removed;
  }

  private tellLeft(error: unknown): void {
    this.logger.warn({ err: error }, 'contents of deleted items and versions wait for removal');
  }

  private async remove({ _id, itemId }: Mark): Promise<void> {
    if (itemId === undefined) await this.store.dropCollection(collectionName(_id));
    else await this.empty(itemId, _id);
    await this.store.transaction((tx) => this.store.deleteMany(tx, DROPPED, own({ _id })));
  }

  /** In short transactions, so that neither store holds much at once; whoever comes after a kill goes on with what is there. */
  private async empty(itemId: string, versionId: string): Promise<void> {
    const version = relatedItemsOf(itemId, versionId);
    for (let more = true; more;) {
      const ids = (await this.store.find(version, { projection: { _id: 1 }, limit: CONTENTS_BATCH })).map(({ _id }) => _id);
      if (ids.length > 0) await this.store.transaction((tx) => this.store.deleteMany(tx, version, own({ _id: { $in: ids } })));
      const readings = await this.store.transaction((tx) => this.store.readings.deleteOlderThan(tx, version, END_OF_TIME, CONTENTS_BATCH));
      more = ids.length > 0 || readings.count > 0;
    }
    await this.store.transaction((tx) => this.store.readings.deleteMany(tx, version, own({})));
  }
}
