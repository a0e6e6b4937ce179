import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { doubledWait } from '@twinyard/conventions';
import { LOGGER, type Logger, PollingWorker, type SqlTx, UnitOfWork } from '@twinyard/service-kit';
import { type NotificationsvcSettings, SETTINGS } from '../config';
import { type Transport, TRANSPORTS } from '../kinds/transport';
import type { Notification } from '../notifications/notification';
import { DeliveryQueue } from './delivery-queue.repository';
import { DeliveryService } from './delivery.service';
import { Skipped } from './delivery-parts';

const LONGEST_WAIT_MS = 3_600_000;
/** What is under way when the service stops has this long. */
const LAST_MS = 3_000;
/** Of all places: a mail server that does not answer leaves some to webhooks, and the other way round. */
const SHARE_OF_A_TRANSPORT = 0.75;

/** Works off due notifications, several at once, fairly between namespaces (`DeliveryQueue`); replicas share them. */
@Injectable()
export class DeliveryWorker extends PollingWorker {
  private readonly running = new Map<Notification, Promise<void>>();
  private readonly ending = new AbortController();

  constructor(
    private readonly queue: DeliveryQueue,
    private readonly deliveries: DeliveryService,
    private readonly unitOfWork: UnitOfWork,
    @Inject(SETTINGS) private readonly settings: NotificationsvcSettings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super({ pollMs: settings.DELIVERY_POLL_MS, what: 'notifications', logger });
  }

  override async onApplicationShutdown(): Promise<void> {
    const last = setTimeout(() => this.ending.abort(), LAST_MS);
    await super.onApplicationShutdown();
    await Promise.all(this.running.values());
    clearTimeout(last);
  }

  /** Begins one delivery, without waiting for its end. */
  protected override async step(): Promise<boolean> {
    if (this.running.size >= this.settings.DELIVERY_CONCURRENCY) return this.oneHasEnded();
    const notification = await this.unitOfWork.run((tx) => this.queue.claimDue(tx, this.claimTerms()));
    // Nothing is due, or what is due has to wait for the end of others of its namespace.
    if (notification === undefined) return this.running.size > 0 && this.oneHasEnded();
    const work = this.work(notification).finally(() => this.running.delete(notification));
    this.running.set(notification, work);
    return true;
  }

  private claimTerms() {
    const { DELIVERY_LEASE_MS, DELIVERY_PER_NAMESPACE, DELIVERY_PER_RECEIVER } = this.settings;
    return { leaseMs: DELIVERY_LEASE_MS, perNamespace: DELIVERY_PER_NAMESPACE, perReceiver: DELIVERY_PER_RECEIVER, transports: this.freeTransports() };
  }

  private freeTransports(): Transport[] {
    const most = Math.ceil(this.settings.DELIVERY_CONCURRENCY * SHARE_OF_A_TRANSPORT);
    const under = [...this.running.keys()];
    return TRANSPORTS.filter((transport) => under.filter((one) => one.transport === transport).length < most);
  }

  /** Or the time has come to look again. */
  private async oneHasEnded(): Promise<boolean> {
    const waiting = new AbortController();
    const pause = delay(this.settings.DELIVERY_POLL_MS, undefined, { signal: waiting.signal }).catch(() => undefined);
    await Promise.race([...this.running.values(), pause]);
    waiting.abort();
    return true;
  }

  /** Never rejects: what cannot be written down is taken up again when its lease has run out. */
  private async work(notification: Notification): Promise<void> {
    const heartbeat = setInterval(() => this.renew(notification), this.settings.DELIVERY_LEASE_MS / 3);
    await this.tell(notification)
      .catch((error: unknown) => this.logger.warn({ err: error, notificationId: notification.id }, 'could not write down how a notification went'))
      .finally(() => clearInterval(heartbeat));
  }

  /** While a delivery takes its time; when it cannot be renewed another worker will take over. */
  private renew(notification: Notification): void {
    this.unitOfWork.run((tx) => this.queue.renew(tx, notification, this.settings.DELIVERY_LEASE_MS)).catch(() => undefined);
  }

  private async tell(notification: Notification): Promise<void> {
    const { id } = notification;
    try {
      await this.deliveries.deliver(notification, this.ending.signal);
      await this.unitOfWork.run((tx) => this.queue.finish(tx, notification, 'SENT', null));
      this.logger.info({ notificationId: id }, 'notification sent');
    } catch (error) {
      await this.unitOfWork.run((tx) => this.afterFailure(tx, notification, error as Error));
    }
  }

  private async afterFailure(tx: SqlTx, notification: Notification, error: Error): Promise<void> {
    const { id, attempts } = notification;
    if (error instanceof Skipped) return this.queue.finish(tx, notification, 'SKIPPED', error.message);
    this.logger.warn({ notificationId: id, attempts, err: error }, 'notification failed');
    if (attempts >= this.settings.DELIVERY_ATTEMPTS) return this.queue.finish(tx, notification, 'ERROR', error.message);
    const delayMs = doubledWait({ firstMs: this.settings.DELIVERY_RETRY_MS, longestMs: LONGEST_WAIT_MS }, attempts - 1);
    return this.queue.retryLater(tx, notification, delayMs, error.message);
  }
}
