import { Injectable } from '@nestjs/common';
import { newUuid } from '@twinyard/conventions';
import type { SqlTx } from '@twinyard/service-kit';
import { DeliveryOrders } from '../deliveries/delivery-orders';
import { bodyOf } from '../kinds/body-of';
import type { Resource } from '../resources/resource';

export interface Asking {
  readonly subscriptionId: string;
  readonly groupId: string;
}

/** Mails that ask whether an address may be used. They wait with the notifications, and are sent, tried again and bounded as those are. */
@Injectable()
export class Confirmations {
  constructor(private readonly orders: DeliveryOrders) {}

  /** `once`: not when the device was asked before. Never while a question is still on its way. */
  async ask(tx: SqlTx, device: Resource, { subscriptionId, groupId }: Asking, how: 'once' | 'again'): Promise<void> {
    // Two subscriptions at once ask once.
    await tx.query('SELECT 1 FROM resource WHERE id = $1 FOR UPDATE', [device.id]);
    await tx.query(
      `INSERT INTO notification (id, purpose, namespace, status, event_id, event, group_id, subscription_id, device_id, transport, receiver, owner_irn,
                                 due_at, next_attempt_at, created_at, updated_at)
       SELECT $1::uuid, 'CONFIRMATION', $2, 'SENDING', $1::uuid, '{}', $3::uuid, $4::uuid, $5::uuid, 'EMAIL', $5::uuid::text, $6, 'infinity', now(), now(), now()
       WHERE NOT EXISTS (SELECT FROM notification WHERE device_id = $5::uuid AND purpose = 'CONFIRMATION' AND ($7::boolean OR status = 'SENDING'))`,
      [newUuid(), device.namespace, groupId, subscriptionId, device.id, bodyOf('device', device.body)._owner._irn, how === 'once'],
    );
    await this.orders.order(tx, [{ namespace: device.namespace, transport: 'EMAIL', receiver: device.id }]);
  }
}
