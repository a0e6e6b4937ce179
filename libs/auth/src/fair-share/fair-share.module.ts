import { type DynamicModule, Global, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { FairShare, type FairShareSettings, fairShareTerms, MetricsRegistry } from '@twinyard/service-kit';
import { FairShareGuard } from './fair-share.guard';
import { RequestPlaces } from './request-places';

/** Places for the requests of a service, shared by tenants. To be imported behind `AuthModule` and before what asks a database: guards are asked in that order. */
@Global()
@Module({})
export class FairShareModule {
  static forRequests(settings: FairShareSettings): DynamicModule {
    return {
      module: FairShareModule,
      providers: [
        { provide: FairShare, inject: [MetricsRegistry], useFactory: (metrics: MetricsRegistry) => watched(new FairShare(fairShareTerms(settings)), metrics) },
        RequestPlaces,
        { provide: APP_GUARD, useClass: FairShareGuard },
      ],
      exports: [FairShare, RequestPlaces],
    };
  }
}

function watched(places: FairShare, metrics: MetricsRegistry): FairShare {
  metrics.gauge('request_places_taken', 'Requests that hold a place', [], (gauge) => gauge.set(places.running));
  metrics.gauge('requests_waiting', 'Requests that wait for a place of their tenant', [], (gauge) => gauge.set(places.waiting));
  return places;
}
