import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Schedules } from '@twinyard/jobs';
import { type SqlTx, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import type { Receiver } from './delivery-jobs';
import { DeliveryOrders } from './delivery-orders';

const EVERY_MS = 60_000;
const BATCH = 500;

/** What is due and in nobody's hands. */
const ADOPT = `
  UPDATE notification SET next_attempt_at = due_at, due_at = 'infinity', running = false WHERE id IN (
    SELECT id FROM notification WHERE status = 'SENDING' AND next_attempt_at IS NULL AND due_at <= now() ORDER BY due_at LIMIT ${BATCH} FOR UPDATE
  ) RETURNING namespace, transport, receiver`;

/** Notifications that replicas of the release before wrote for a loop of their own. To go with `due_at` and `running`, in the next release. */
@Injectable()
export class LeftOverDeliveries implements OnModuleInit {
  constructor(
    private readonly schedules: Schedules,
    private readonly orders: DeliveryOrders,
    private readonly unitOfWork: TypeOrmUnitOfWork,
  ) {}

  onModuleInit(): void {
    this.schedules.every('notificationsvc.left-over-deliveries', { everyMs: EVERY_MS, atStart: true }, (signal) => this.adopt(signal));
  }

  private async adopt(signal: AbortSignal): Promise<void> {
    for (let adopted = BATCH; adopted === BATCH && !signal.aborted; ) adopted = await this.unitOfWork.run((tx) => this.adoptSome(tx));
  }

  private async adoptSome(tx: SqlTx): Promise<number> {
    const adopted = await tx.query<Receiver>(ADOPT);
    await this.orders.order(tx, adopted);
    return adopted.length;
  }
}
