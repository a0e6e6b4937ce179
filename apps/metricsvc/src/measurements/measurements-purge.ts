import { Injectable } from '@nestjs/common';
import { NamespacePurge, type PurgeStep } from '@twinyard/events';
import { UnitOfWork } from '@twinyard/service-kit';
import { MeasurementsRepository } from './measurements.repository';

/** Series of the namespace, and what is known of the things in it. What still comes of such things counts for nothing. */
@Injectable()
export class MeasurementsPurge extends NamespacePurge {
  override readonly what = 'measurements and points';

  constructor(
    private readonly measurements: MeasurementsRepository,
    private readonly unitOfWork: UnitOfWork,
  ) {
    super();
  }

  override async removeSome(namespace: string): Promise<PurgeStep> {
    // Whoever did not know of the purge has ended by then; whoever comes later knows of it.
    await this.unitOfWork.run((tx) => this.measurements.lockNamespaces(tx, [namespace]));
    const things = await this.unitOfWork.run((tx) => this.measurements.leaveNamespace(tx, namespace));
    const points = await this.unitOfWork.run((tx) => this.measurements.removePoints(tx, namespace));
    return { removed: things + points };
  }
}
