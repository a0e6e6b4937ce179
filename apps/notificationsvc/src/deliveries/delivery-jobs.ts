import { job, type JobDefinition } from '@twinyard/jobs';
import { z } from 'zod';
import type { Transport } from '../kinds/transport';

/** To whom the deliveries of a namespace go by a transport: a mail device by itself, or a host. */
export interface Receiver {
  readonly namespace: string;
  readonly transport: Transport;
  readonly receiver: string;
}

/** A lane of a receiver takes one of its notifications after the other; each receiver has `DELIVERY_PER_RECEIVER` of them. */
export interface ReceiverLane extends Receiver {
  readonly lane: number;
}

const lanePayload = z.object({ receiver: z.string(), lane: z.number().int().min(0).max(9_999) });
export type LanePayload = z.infer<typeof lanePayload>;

/** Notifications are given up, lanes are not: others of the receiver wait behind. */
const NO_END = 1_000_000_000;

/** Settings decide the rest. */
const deliveries = (kind: string) => job(kind, {
  schema: lanePayload, leaseMs: 6_000, longestMs: 60_000, retry: { attempts: NO_END, firstMs: 1_000, longestMs: 30_000 }, concurrency: 24, finishWithinMs: 3_000,
});

/** A job is a lane that has something to deliver; its key is the lane. By transport: a mail server that does not answer takes no place of a webhook. */
export const DELIVERIES: Readonly<Record<Transport, JobDefinition<LanePayload>>> = {
  EMAIL: deliveries('notificationsvc.mail'),
  WEBHOOK: deliveries('notificationsvc.webhook'),
};
