import type { Transport } from '../kinds/transport';

/** SENDING → SENT | ERROR | SKIPPED (contract 7). */
export const NOTIFICATION_STATUSES = ['SENDING', 'SENT', 'ERROR', 'SKIPPED'] as const;
export type NotificationStatus = (typeof NOTIFICATION_STATUSES)[number];

/** EVENT: a trigger matched one. CONFIRMATION: a device's address is asked whether it may be used. */
export type Purpose = 'EVENT' | 'CONFIRMATION';

/** One telling of one event to one device, and how it went. */
export interface Notification {
  readonly id: string;
  readonly namespace: string;
  readonly status: NotificationStatus;
  readonly purpose: Purpose;
  /** Of an EVENT. */
  readonly triggerId: string | null;
  readonly eventId: string;
  /** The event in its public form. */
  readonly event: Readonly<Record<string, unknown>>;
  readonly groupId: string;
  readonly subscriptionId: string;
  readonly deviceId: string;
  readonly senderId: string | null;
  readonly templateId: string | null;
  readonly transport: Transport;
  /** What of one namespace and transport counts together towards `DELIVERY_PER_RECEIVER`. */
  readonly receiver: string;
  readonly ownerIrn: string;
  readonly attempts: number;
  readonly error: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}
