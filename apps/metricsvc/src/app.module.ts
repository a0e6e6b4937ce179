import { type DynamicModule, Module } from '@nestjs/common';
import { AuthModule } from '@twinyard/auth';
import { eventBusOptions, EventsModule, EventsTables1700000000000 } from '@twinyard/events';
import { SqlModule } from '@twinyard/service-kit';
import type { MetricsvcSettings } from './config';
import { MeasurementsModule } from './measurements/measurements.module';
import { MetricsModule } from './metrics/metrics.module';
import { CreateMeasurements1700000000001 } from './migrations/1700000000001-CreateMeasurements';

@Module({})
export class AppModule {
  static register(settings: MetricsvcSettings): DynamicModule {
    return {
      module: AppModule,
      imports: [
        SqlModule.forRoot({
          url: settings.DATABASE_URL, entities: [], migrations: [EventsTables1700000000000, CreateMeasurements1700000000001], poolSize: 5,
        }),
        AuthModule.forService('metricsvc', settings),
        EventsModule.forRoot({ service: 'metricsvc', bus: eventBusOptions(settings) }),
        MeasurementsModule,
        MetricsModule,
      ],
    };
  }
}
