import { Injectable } from '@nestjs/common';
import { type NamespaceScope, wholeNamespaces } from '@twinyard/auth';
import { isUuid, type Paging, type Slice } from '@twinyard/conventions';
import type { SqlTx } from '@twinyard/service-kit';
import { DataSource } from 'typeorm';
import type { Transport } from '../kinds/transport';
import { sliceInTime } from '../storage/slice-in-time.repository';
import type { Notification, NotificationStatus, Purpose } from './notification';

/** As it is stored. */
export interface NotificationRow {
  readonly id: string;
  readonly namespace: string;
  readonly status: NotificationStatus;
  readonly purpose: Purpose;
  readonly trigger_id: string | null;
  readonly event_id: string;
  readonly event: Record<string, unknown>;
  readonly group_id: string;
  readonly subscription_id: string;
  readonly device_id: string;
  readonly sender_id: string | null;
  readonly template_id: string | null;
  readonly transport: Transport;
  readonly receiver: string;
  readonly owner_irn: string;
  readonly attempts: number;
  readonly error: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export interface NotificationFilter {
  readonly status?: string;
  readonly triggerId?: string;
  readonly eventId?: string;
}

/** Those of the namespaces in scope, and always those to the caller itself. */
const VISIBLE = `purpose = 'EVENT' AND (namespace = ANY($1) OR owner_irn = $2 AND ($3::text[] IS NULL OR namespace = ANY($3)))`;

@Injectable()
export class NotificationsRepository {
  constructor(private readonly dataSource: DataSource) {}

  async list(scope: NamespaceScope, viewer: Viewer, filter: NotificationFilter, paging: Paging): Promise<Slice<Notification>> {
    const where = `${VISIBLE} AND ($4::text IS NULL OR status = $4) AND ($5::text IS NULL OR trigger_id::text = $5) AND ($6::text IS NULL OR event_id::text = $6)`;
    const parameters = [...visibility(scope, viewer), filter.status ?? null, filter.triggerId ?? null, filter.eventId ?? null];
    return sliceInTime(this.dataSource, { table: 'notification', where, parameters, heavy: 'event', map: toNotification }, paging);
  }

  async find(scope: NamespaceScope, viewer: Viewer, id: string): Promise<Notification | undefined> {
    if (!isUuid(id)) return undefined;
    const [row] = await this.dataSource.query<NotificationRow[]>(`SELECT * FROM notification WHERE ${VISIBLE} AND id = $4`, [...visibility(scope, viewer), id]);
    return row && toNotification(row);
  }

  /** Leaves out an event that its trigger has told its device of already. What is to be sent is ordered by `DeliveryOrders`, in the same transaction. */
  async insertOnce(tx: SqlTx, notifications: readonly Notification[]): Promise<void> {
    await tx.query(
      `INSERT INTO notification (id, namespace, status, trigger_id, event_id, event, group_id, subscription_id, device_id, sender_id, template_id, transport,
                                 receiver, owner_irn, error, due_at, next_attempt_at, created_at, updated_at)
       SELECT n.id, n.namespace, n.status, n."triggerId", n."eventId", n.event, n."groupId", n."subscriptionId", n."deviceId", n."senderId", n."templateId", n.transport,
              n.receiver, n."ownerIrn", n.error, 'infinity', now(), n."createdAt", n."createdAt"
       FROM jsonb_to_recordset($1) AS n(id uuid, namespace text, status text, "triggerId" uuid, "eventId" uuid, event jsonb, "groupId" uuid, "subscriptionId" uuid,
                                        "deviceId" uuid, "senderId" uuid, "templateId" uuid, transport text, receiver text, "ownerIrn" text, error text, "createdAt" timestamptz)
       ON CONFLICT (event_id, trigger_id, device_id) DO NOTHING`,
      [JSON.stringify(notifications)],
    );
  }

  /** For a purge. */
  async removeIn(tx: SqlTx, namespace: string, limit: number): Promise<number> {
    const some = 'SELECT id FROM notification WHERE namespace = $1 LIMIT $2 FOR UPDATE';
    return (await tx.query(`DELETE FROM notification WHERE id IN (${some}) RETURNING id`, [namespace, limit])).length;
  }

  /** For a purge: what others were told of things that lie in several namespaces names this one no longer. The number of notifications. */
  async leaveNamespace(tx: SqlTx, namespace: string, limit: number): Promise<number> {
    const named = "event #> '{resource,_namespaces}'";
    const some = `SELECT id FROM notification WHERE jsonb_array_length(${named}) > 1 AND ${named} @> to_jsonb($1::text) ORDER BY id LIMIT $2 FOR UPDATE`;
    const left = `UPDATE notification SET event = jsonb_set(event, '{resource,_namespaces}', (${named}) - $1) WHERE id IN (${some}) RETURNING id`;
    return (await tx.query(left, [namespace, limit])).length;
  }
}

/** Who looks, and the namespaces it asked for. */
export interface Viewer {
  readonly irn: string;
  readonly namespaces: readonly string[] | undefined;
}

const visibility = (scope: NamespaceScope, viewer: Viewer) => [
  wholeNamespaces(scope), viewer.irn, viewer.namespaces ?? null,
];

export const toNotification = (row: NotificationRow): Notification => ({
  id: row.id, namespace: row.namespace, status: row.status, purpose: row.purpose, triggerId: row.trigger_id, eventId: row.event_id, event: row.event, groupId: row.group_id,
  subscriptionId: row.subscription_id, deviceId: row.device_id, senderId: row.sender_id, templateId: row.template_id, transport: row.transport,
  receiver: row.receiver, ownerIrn: row.owner_irn, attempts: row.attempts, error: row.error, createdAt: row.created_at, updatedAt: row.updated_at,
});
