import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { type DocumentTx, DocumentStore } from '@twinyard/documents';
import { LOGGER, type Logger } from '@twinyard/service-kit';
import { collectionName, DROPPED, SYSTEM_COLLECTIONS } from './collections';

const BATCH = 1_000;

/** Makes and removes the store's collections, which no transaction holds. */
@Injectable()
export class Storage implements OnModuleInit {
  constructor(
    private readonly store: DocumentStore,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.makeCollections();
    await this.sweep();
  }

  /** Those that are there already stay as they are. */
  async makeCollections(): Promise<void> {
    for (const [{ name }, options] of SYSTEM_COLLECTIONS) await this.store.createCollection(name, options);
  }

  /** In the transaction that deletes an item; `sweep` afterwards does the work, or the next start does. */
  async markDropped(tx: DocumentTx, itemId: string): Promise<void> {
    await this.store.insertMany(tx, DROPPED, [{ _id: itemId }]);
  }

  /** Removes the collections of deleted items. Never fails: what is left is tried again at the next start. */
  async sweep(): Promise<void> {
    try {
      const marks = await this.store.find(DROPPED, { limit: BATCH });
      for (const { _id } of marks) {
        await this.store.dropCollection(collectionName(_id));
        await this.store.transaction((tx) => this.store.deleteMany(tx, DROPPED, { _id }));
      }
    } catch (error) {
      this.logger.warn({ err: error }, 'collections of deleted items wait for removal');
    }
  }
}
