import { Injectable } from '@nestjs/common';
import { Jobs } from '@twinyard/jobs';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { namespaceOf, type Schedule } from '../schedule.entity';
import { SCHEDULE } from './schedule-job';

type Ordered = Pick<Schedule, 'id' | 'namespaces' | 'nextDueAt'>;

/** Has the job of a schedule come when it is due. One that comes too soon, or for a schedule that is gone, finds that out by itself. */
@Injectable()
export class ScheduleOrders {
  constructor(private readonly jobs: Jobs) {}

  /** That of a schedule that is never due comes at once, and ends. */
  async order(tx: TypeOrmTx, { id, namespaces, nextDueAt }: Ordered): Promise<void> {
    await this.jobs.enqueue(tx, SCHEDULE, { scheduleId: id }, { namespace: namespaceOf({ namespaces }), key: id, ...(nextDueAt !== null && { dueAt: nextDueAt }) });
  }

  /** Unless it is ordered, or under way. */
  async ensure(tx: TypeOrmTx, { id, namespaces, nextDueAt }: Ordered): Promise<void> {
    if (nextDueAt !== null) await this.jobs.ensure(tx, SCHEDULE, { scheduleId: id }, { namespace: namespaceOf({ namespaces }), key: id, dueAt: nextDueAt });
  }

  /** Of a schedule that is gone. */
  async end(tx: TypeOrmTx, schedule: Ordered): Promise<void> {
    await this.order(tx, { ...schedule, nextDueAt: null });
  }
}
