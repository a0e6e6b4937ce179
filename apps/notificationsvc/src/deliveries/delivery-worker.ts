import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger, PollingWorker, type SqlTx, UnitOfWork } from '@twinyard/service-kit';
import { type NotificationsvcSettings, SETTINGS } from '../config';
import type { Notification } from '../notifications/notification';
import { NotificationsRepository } from '../notifications/notifications.repository';
import { DeliveryService } from './delivery.service';
import { Skipped } from './delivery-parts';

const LONGEST_WAIT_MS = 3_600_000;

/** Works off due notifications, one at a time; replicas share them. */
@Injectable()
export class DeliveryWorker extends PollingWorker {
  constructor(
    private readonly notifications: NotificationsRepository,
    private readonly deliveries: DeliveryService,
    private readonly unitOfWork: UnitOfWork,
    @Inject(SETTINGS) private readonly settings: NotificationsvcSettings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super({ pollMs: settings.DELIVERY_POLL_MS, what: 'notifications', logger });
  }

  protected override async step(): Promise<boolean> {
    const notification = await this.unitOfWork.run((tx) => this.notifications.claimDue(tx, this.settings.DELIVERY_LEASE_MS));
    if (notification === undefined) return false;
    const heartbeat = setInterval(() => this.renew(notification), this.settings.DELIVERY_LEASE_MS / 3);
    await this.tell(notification).finally(() => clearInterval(heartbeat));
    return true;
  }

  /** While a delivery takes its time; when it cannot be renewed another worker will take over. */
  private renew(notification: Notification): void {
    this.unitOfWork.run((tx) => this.notifications.renew(tx, notification, this.settings.DELIVERY_LEASE_MS)).catch(() => undefined);
  }

  private async tell(notification: Notification): Promise<void> {
    const { id, deviceId } = notification;
    try {
      const sent = await this.unitOfWork.run((tx) => this.notifications.sentInLastHour(tx, deviceId));
      if (sent >= this.settings.NOTIFICATIONS_PER_HOUR) throw new Skipped(`the device got ${sent} notifications in the last hour`);
      await this.deliveries.deliver(notification);
      await this.unitOfWork.run((tx) => this.notifications.finish(tx, notification, 'SENT', null));
      this.logger.info({ notificationId: id }, 'notification sent');
    } catch (error) {
      await this.unitOfWork.run((tx) => this.afterFailure(tx, notification, error as Error));
    }
  }

  private async afterFailure(tx: SqlTx, notification: Notification, error: Error): Promise<void> {
    const { id, attempts } = notification;
    if (error instanceof Skipped) return this.notifications.finish(tx, notification, 'SKIPPED', error.message);
    this.logger.warn({ notificationId: id, attempts, err: error }, 'notification failed');
    if (attempts >= this.settings.DELIVERY_ATTEMPTS) return this.notifications.finish(tx, notification, 'ERROR', error.message);
    const delayMs = Math.min(this.settings.DELIVERY_RETRY_MS * 2 ** (attempts - 1), LONGEST_WAIT_MS);
    return this.notifications.retryLater(tx, notification, delayMs, error.message);
  }
}
