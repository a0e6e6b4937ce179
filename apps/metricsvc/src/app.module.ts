import { type DynamicModule, Module } from '@nestjs/common';
import { AuthModule, RepeatsModule } from '@twinyard/auth';
import { eventBusOptions, EventsModule, NamespacePurgeModule } from '@twinyard/events';
import { JobsModule } from '@twinyard/jobs';
import { SqlModule } from '@twinyard/service-kit';
import type { MetricsvcSettings } from './config';
import { MeasurementsModule } from './measurements/measurements.module';
import { MetricsModule } from './metrics/metrics.module';
import { migrations } from './migrations';
import { ReconciliationModule } from './reconciliation/reconciliation.module';

@Module({})
export class AppModule {
  static register(settings: MetricsvcSettings): DynamicModule {
    return {
      module: AppModule,
      imports: [
        SqlModule.forRoot({ url: settings.DATABASE_URL, entities: [], migrations, poolSize: 5 }),
        AuthModule.forService('metricsvc', settings),
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
