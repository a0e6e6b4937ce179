import { Injectable } from '@nestjs/common';
import { NamespacePurge, type PurgeStep } from '@twinyard/events';
import { TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { ScheduleOrders } from './due-runs/schedule-orders';
import { SchedulesRepository } from './schedules.repository';

/** Those of orchestrators that are deleted go with them; what stays has its job in a namespace that stays. */
@Injectable()
export class SchedulesPurge extends NamespacePurge {
  override readonly what = 'schedules';

  constructor(
    private readonly schedules: SchedulesRepository,
    private readonly orders: ScheduleOrders,
    private readonly unitOfWork: TypeOrmUnitOfWork,
  ) {
    super();
  }

  override async removeSome(namespace: string, limit: number): Promise<PurgeStep> {
    return this.unitOfWork.run(async (tx) => {
      const { removed, kept } = await this.schedules.leaveNamespace(tx, namespace, limit);
      for (const schedule of kept) await this.orders.ensure(tx, schedule);
      return { removed };
    });
  }
}
