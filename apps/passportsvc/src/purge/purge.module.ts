import { Global, Inject, Module } from '@nestjs/common';
import { MetricsRegistry, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { NamespaceGrantsRepository } from './namespace-grants.repository';
import { NamespaceGrantsPurge } from './namespace-grants-purge';
import { PurgeOutcomes } from './purge-outcomes';
import { PurgesRepository } from './purges.repository';

/** Purges of all services, from the asking to the end; and of what this service itself keeps of a namespace. */
@Global()
@Module({ providers: [NamespaceGrantsPurge, NamespaceGrantsRepository, PurgeOutcomes, PurgesRepository], exports: [PurgesRepository] })
export class PurgeModule {
  constructor(
    @Inject(MetricsRegistry) registry: MetricsRegistry,
    @Inject(TypeOrmUnitOfWork) unitOfWork: TypeOrmUnitOfWork,
    @Inject(PurgesRepository) purges: PurgesRepository,
  ) {
    registry.gauge('purges_unfinished', 'Purges that not every service has done yet', [], async (gauge) => {
      gauge.set(await unitOfWork.run((tx) => purges.count(tx)).catch(() => Number.NaN));
    });
  }
}
