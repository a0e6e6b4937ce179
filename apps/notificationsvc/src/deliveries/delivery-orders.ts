import { Inject, Injectable } from '@nestjs/common';
import { Jobs } from '@twinyard/jobs';
import type { SqlTx } from '@twinyard/service-kit';
import { type NotificationsvcSettings, SETTINGS } from '../config';
import { TRANSPORTS } from '../kinds/transport';
import { DELIVERIES, type Receiver } from './delivery-jobs';
import { DeliveryLanes, type Waiting } from './delivery-lanes.repository';

const BATCH = 500;

/** The entrance for deliveries: whoever writes notifications orders them here, in the same transaction and once for all of it. */
@Injectable()
export class DeliveryOrders {
  constructor(
    private readonly jobs: Jobs,
    private readonly lanes: DeliveryLanes,
    @Inject(SETTINGS) private readonly settings: NotificationsvcSettings,
  ) {}

  /** Has as many lanes of each receiver begin as it has notifications. */
  async order(tx: SqlTx, receivers: readonly Receiver[]): Promise<void> {
    const distinct = [...new Map(receivers.map((one) => [nameOf(one), one])).entries()].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, receiver]) => receiver);
    for (let first = 0; first < distinct.length; first += BATCH) {
      const waiting = await this.lanes.waitingOf(tx, distinct.slice(first, first + BATCH), this.settings.DELIVERY_PER_RECEIVER);
      for (const transport of TRANSPORTS) await this.jobs.enqueueAll(tx, DELIVERIES[transport], waiting.filter((one) => one.transport === transport).flatMap(lanesOf));
    }
  }
}

/** In this order their jobs are written: two that order at once do not wait for each other in a circle. */
const nameOf = ({ transport, namespace, receiver }: Receiver) => `${transport} ${namespace} ${receiver}`;

const lanesOf = ({ namespace, receiver, count }: Waiting) => Array.from({ length: count }, (_, lane) => ({ namespace, key: `${lane} ${receiver}`, payload: { receiver, lane } }));
