import { type DynamicModule, Module } from '@nestjs/common';
import type { MetricsvcSettings } from '../config';
import { MeasurementsModule } from '../measurements/measurements.module';
import { HttpRebuildSources } from '../rebuild/http-rebuild-sources.adapter';
import { RebuildSources, SOURCES } from '../rebuild/rebuild-sources';
import { Backlog } from './backlog';
import { Corrections } from './corrections';
import { Reconciliation, ReconciliationOptions, ReconciliationParts } from './reconciliation';
import { ReconciliationReport } from './reconciliation-report';
import { ReconciliationWorker } from './reconciliation-worker';
import { ReconciliationRepository } from './reconciliation.repository';

@Module({})
export class ReconciliationModule {
  /** Where an address is missing there is nobody to compare with. */
  static forRoot(settings: MetricsvcSettings): DynamicModule {
    const isPossible = Object.values(SOURCES).every((name) => settings[name] !== undefined);
    return {
      module: ReconciliationModule,
      imports: [MeasurementsModule],
      providers: !isPossible ? [] : [
        { provide: RebuildSources, useValue: new HttpRebuildSources(settings) },
        { provide: ReconciliationOptions, useValue: new ReconciliationOptions(settings.RECONCILE_HOURS) },
        ReconciliationRepository, Backlog, Corrections, ReconciliationParts, Reconciliation, ReconciliationReport, ReconciliationWorker,
      ],
    };
  }
}
