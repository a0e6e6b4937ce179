import { type DynamicModule, Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { AuthModule, FairShareModule, LaterWorkModule, RepeatsModule } from '@twinyard/auth';
import { DocumentStore, PostgresDocumentStore } from '@twinyard/documents';
import { eventBusOptions, EventsModule, NamespacePurgeModule } from '@twinyard/events';
import { JobsModule } from '@twinyard/jobs';
import { ITEM_SETTINGS, type ItemSettings } from './config';
import { EncryptionModule } from './encryption/encryption.module';
import { RowBodies } from './imports/row-bodies';
import { ItemsModule } from './items.module';
import { type Stores, storesOf } from './stores';

@Global()
@Module({})
class DocumentsModule implements OnApplicationShutdown {
  constructor(@Inject(DocumentStore) private readonly store: DocumentStore) {}

  static register(settings: ItemSettings, { documents }: Stores): DynamicModule {
    return {
      module: DocumentsModule,
      providers: [{ provide: ITEM_SETTINGS, useValue: settings }, documents],
      exports: [DocumentStore, ITEM_SETTINGS],
    };
  }

  /** On PostgreSQL it has connections of its own. */
  async onApplicationShutdown(): Promise<void> {
    if (this.store instanceof PostgresDocumentStore) await this.store.close();
  }
}

@Module({})
export class AppModule {
  static register(settings: ItemSettings): DynamicModule {
    const stores = storesOf(settings);
    return {
      module: AppModule,
      imports: [
        stores.database,
        DocumentsModule.register(settings, stores),
        EventsModule.forRoot({ service: 'itemsvc', bus: eventBusOptions(settings), ...stores.events }),
        JobsModule.forRoot(settings),
        NamespacePurgeModule.forRoot('itemsvc', settings, stores.purges),
        LaterWorkModule.forService('itemsvc', settings),
        AuthModule.forService('itemsvc', settings),
        FairShareModule.forRequests(settings),
        RepeatsModule.reading(RowBodies),
        EncryptionModule,
        ItemsModule,
      ],
    };
  }
}
