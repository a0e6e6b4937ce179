import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { doubledWait } from '@twinyard/conventions';
import { type HeldJob, JobRunner, JobStopped } from '@twinyard/jobs';
import { LOGGER, type Logger, type SqlTx, UnitOfWork } from '@twinyard/service-kit';
import { type NotificationsvcSettings, SETTINGS } from '../config';
import { type Transport, TRANSPORTS } from '../kinds/transport';
import type { Notification } from '../notifications/notification';
import { DELIVERIES, type LanePayload, type ReceiverLane } from './delivery-jobs';
import { DeliveryLanes, type Outcome } from './delivery-lanes.repository';
import { DeliveryService } from './delivery.service';
import { Skipped } from './delivery-parts';

const LONGEST_WAIT_MS = 3_600_000;
/** Behind the deadline of a mail or a webhook: for what it is made of, a template in its turn among it. */
const MARGIN_MS = 120_000;
const DAY_MS = 86_400_000;

type Lane = HeldJob<LanePayload, SqlTx>;

/** Delivers the notifications of each receiver, one of a lane at a time: behind each of them it is the turn of others. */
@Injectable()
export class DeliveryWorker implements OnModuleInit {
  constructor(
    private readonly runner: JobRunner,
    private readonly lanes: DeliveryLanes,
    private readonly deliveries: DeliveryService,
    private readonly unitOfWork: UnitOfWork,
    @Inject(SETTINGS) private readonly settings: NotificationsvcSettings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    const { DELIVERY_LEASE_MS: leaseMs, DELIVERY_CONCURRENCY: concurrency, DELIVERY_PER_NAMESPACE: perNamespace, MAIL_DEADLINE_MS, WEBHOOK_DEADLINE_MS } = this.settings;
    const deadlines = { EMAIL: MAIL_DEADLINE_MS, WEBHOOK: WEBHOOK_DEADLINE_MS };
    for (const transport of TRANSPORTS) {
      const longestMs = Math.min(deadlines[transport] + MARGIN_MS, DAY_MS);
      this.runner.handle<LanePayload, SqlTx>(DELIVERIES[transport], { run: (held) => this.deliverNext(transport, held) }, { leaseMs, longestMs, concurrency, perNamespace });
    }
  }

  private async deliverNext(transport: Transport, held: Lane): Promise<void> {
    const lane = { namespace: held.namespace, transport, ...held.payload };
    const notification = await this.unitOfWork.run(async (tx) => {
      await held.hold(tx);
      const taken = await this.lanes.take(tx, lane);
      if (taken === undefined) await this.leave(tx, held, lane);
      return taken;
    });
    if (notification === undefined) return;
    const outcome = await this.outcomeOf(notification, held.signal);
    await this.unitOfWork.run(async (tx) => {
      await this.lanes.end(tx, notification, outcome);
      await this.leave(tx, held, lane);
    });
  }

  /** Until the next of the receiver is due, or another is written. */
  private async leave(tx: SqlTx, held: Lane, lane: ReceiverLane): Promise<void> {
    const inMs = await this.lanes.nextInMs(tx, lane);
    if (inMs === undefined) await held.finish(tx);
    else await held.continueWith(tx, held.payload, inMs);
  }

  private async outcomeOf(notification: Notification, signal: AbortSignal): Promise<Outcome> {
    const { id, attempts } = notification;
    // The last attempt took its process with it.
    if (attempts > this.settings.DELIVERY_ATTEMPTS) return { status: 'ERROR', error: 'how the last attempt went is not known: its process ended' };
    try {
      await this.deliveries.deliver(notification, signal);
      this.logger.info({ notificationId: id }, 'notification sent');
      return { status: 'SENT' };
    } catch (error) {
      if (error instanceof Skipped) return { status: 'SKIPPED', error: error.message };
      if (isShutdown(signal)) return { status: 'INTERRUPTED' };
      this.logger.warn({ notificationId: id, attempts, err: error }, 'notification failed');
      return this.afterFailure(attempts, (error as Error).message);
    }
  }

  private afterFailure(attempts: number, error: string): Outcome {
    if (attempts >= this.settings.DELIVERY_ATTEMPTS) return { status: 'ERROR', error };
    return { status: 'RETRY', error, delayMs: doubledWait({ firstMs: this.settings.DELIVERY_RETRY_MS, longestMs: LONGEST_WAIT_MS }, attempts - 1) };
  }
}

const isShutdown = ({ reason }: AbortSignal) => reason instanceof JobStopped && reason.reason === 'shutdown';
