import { type DynamicModule, Module } from '@nestjs/common';
import { AuthModule, FairShareModule, RepeatsModule } from '@twinyard/auth';
import { eventBusOptions, EventsModule, NamespacePurgeModule } from '@twinyard/events';
import { JobsModule } from '@twinyard/jobs';
import { SqlModule } from '@twinyard/service-kit';
import type { MetricsvcSettings } from './config';
import { MeasurementsModule } from './measurements/measurements.module';
import { MetricsModule } from './metrics/metrics.module';
import { migrations } from './migrations';
import { ReconciliationModule } from './reconciliation/reconciliation.module';

/** For the events that are counted, and comparisons. */
const OWN_CONNECTIONS = 2;

@Module({})
export class AppModule {
  static register(settings: MetricsvcSettings): DynamicModule {
    return {
      module: AppModule,
      imports: [
        SqlModule.forRoot({ url: settings.DATABASE_URL, entities: [], migrations, poolSize: settings.REQUEST_PLACES + OWN_CONNECTIONS }),
        AuthModule.forService('metricsvc', settings),
        FairShareModule.forRequests(settings),
        RepeatsModule,
        EventsModule.forRoot({ service: 'metricsvc', bus: eventBusOptions(settings) }),
        NamespacePurgeModule.forRoot('metricsvc', settings),
        JobsModule.forRoot(settings),
        MeasurementsModule,
        ReconciliationModule.forRoot(settings),
        MetricsModule,
      ],
    };
  }
}
