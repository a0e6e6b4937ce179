import { type DynamicModule, Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { AuthModule, requestsController } from '@twinyard/auth';
import { DocumentStore, PostgresDocumentStore } from '@twinyard/documents';
import { eventBusOptions, EventsModule, EventsTables1700000000000 } from '@twinyard/events';
import { DurableRequestsModule, DurableRequestsTable1700000000010, SqlModule } from '@twinyard/service-kit';
import { ITEM_SETTINGS, type ItemSettings } from './config';
import { ItemsModule } from './items.module';

/** Documents lie in the service's own database, so that a change and its event share a transaction. */
@Global()
@Module({})
class DocumentsModule implements OnApplicationShutdown {
  constructor(@Inject(DocumentStore) private readonly store: PostgresDocumentStore) {}

  static register(settings: ItemSettings): DynamicModule {
    return {
      module: DocumentsModule,
      providers: [
        { provide: ITEM_SETTINGS, useValue: settings },
        { provide: DocumentStore, useFactory: () => PostgresDocumentStore.open({ url: settings.DATABASE_URL }) },
      ],
      exports: [DocumentStore, ITEM_SETTINGS],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.store.close();
  }
}

@Module({})
export class AppModule {
  static register(settings: ItemSettings): DynamicModule {
    return {
      module: AppModule,
      imports: [
        SqlModule.forRoot({
          url: settings.DATABASE_URL, entities: [], migrations: [EventsTables1700000000000, DurableRequestsTable1700000000010], poolSize: 3,
        }),
        DocumentsModule.register(settings),
        EventsModule.forRoot({ service: 'itemsvc', bus: eventBusOptions(settings) }),
        DurableRequestsModule,
        AuthModule.forService('itemsvc', settings),
        ItemsModule,
      ],
      controllers: [requestsController('itemsvc')],
    };
  }
}
