import { type DynamicModule, Module } from '@nestjs/common';
import { AuthModule, FairShareModule, RepeatsModule } from '@twinyard/auth';
import { eventBusOptions, EventsModule, EventsTables1700000000000, NamespacePurgeModule, NamespacePurges1700000000020 } from '@twinyard/events';
import { JOBS_MIGRATIONS, JobsModule } from '@twinyard/jobs';
import { KeptAnswersTable1700000000030, SqlModule } from '@twinyard/service-kit';
import { MailModule } from '@twinyard/service-kit/mail';
import type { NotificationsvcSettings } from './config';
import { DeliveryService } from './deliveries/delivery.service';
import { DeliveryWorker } from './deliveries/delivery-worker';
import { LeftOverDeliveries } from './deliveries/left-over-deliveries';
import { MailDelivery } from './deliveries/mail-delivery';
import { Readers } from './deliveries/readers';
import { WebhookDelivery } from './deliveries/webhook-delivery';
import { ConfirmationDelivery } from './confirmations/confirmation-delivery';
import { ConfirmationPost } from './confirmations/confirmation-post';
import { MessageLimit } from './limits/message-limit';
import { LinkSigner } from './links/link-signer';
import { LinksController } from './links/links.controller';
import { LinksService } from './links/links.service';
import { CreateNotifications1700000000001 } from './migrations/1700000000001-CreateNotifications';
import { IndexSharedEvents1700000000002 } from './migrations/1700000000002-IndexSharedEvents';
import { AddFairDeliveries1700000000004 } from './migrations/1700000000004-AddFairDeliveries';
import { AddConfirmations1700000000005 } from './migrations/1700000000005-AddConfirmations';
import { DeliverByJobs1700000000006 } from './migrations/1700000000006-DeliverByJobs';
import { NoticesController } from './notices/notices.controller';
import { NoticesService } from './notices/notices.service';
import { NotificationsController } from './notifications/notifications.controller';
import { NotificationsPurge } from './notifications/notifications-purge';
import { NotificationsRepository } from './notifications/notifications.repository';
import { ResourcesModule } from './resources/resources.module';
import { SettingsModule } from './settings.module';
import { TriggerEvents } from './triggers/trigger.events';
import { WebhookTransport } from './webhooks/webhook-transport.adapter';

/** For events and deliveries. */
const OWN_CONNECTIONS = 2;

@Module({})
export class AppModule {
  static register(settings: NotificationsvcSettings): DynamicModule {
    const migrations = [
      EventsTables1700000000000, NamespacePurges1700000000020, KeptAnswersTable1700000000030, ...JOBS_MIGRATIONS, CreateNotifications1700000000001, IndexSharedEvents1700000000002,
      AddFairDeliveries1700000000004, AddConfirmations1700000000005, DeliverByJobs1700000000006,
    ];
    return {
      module: AppModule,
      imports: [
        SqlModule.forRoot({ url: settings.DATABASE_URL, answerBytes: settings.ANSWER_MAX_BYTES, entities: [], migrations, poolSize: settings.REQUEST_PLACES + OWN_CONNECTIONS }),
        AuthModule.forService('notificationsvc', settings),
        FairShareModule.forRequests(settings),
        RepeatsModule,
        EventsModule.forRoot({ service: 'notificationsvc', bus: eventBusOptions(settings) }),
        JobsModule.forRoot(settings),
        NamespacePurgeModule.forRoot('notificationsvc', settings),
        SettingsModule.forRoot(settings),
        MailModule.forRoot(settings),
        ResourcesModule,
      ],
      controllers: [NoticesController, NotificationsController, LinksController],
      providers: [
        ConfirmationDelivery, ConfirmationPost, DeliveryService, DeliveryWorker, LeftOverDeliveries, LinkSigner, LinksService, MailDelivery, MessageLimit,
        NoticesService, NotificationsPurge, NotificationsRepository, Readers, TriggerEvents, WebhookDelivery, WebhookTransport,
      ],
    };
  }
}
