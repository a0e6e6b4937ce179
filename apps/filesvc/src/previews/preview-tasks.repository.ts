import { Injectable } from '@nestjs/common';
import type { EventOrigin } from '@twinyard/events';
import type { TypeOrmTx } from '@twinyard/service-kit';
import type { PreviewEnd, PreviewLease, PreviewTask } from './preview';

/** Which versions are to get a picture, and which have had their chance. */
@Injectable()
export class PreviewTasksRepository {
  /** Versions of this transaction. In the order given, which is that of their turns. */
  async add(tx: TypeOrmTx, { userId, requestId }: EventOrigin, versionIds: readonly string[]): Promise<void> {
    await tx.preparedLater(
      `INSERT INTO preview_task (version_id, state, attempts, due_at, user_id, request_id)
       SELECT id, 'PENDING', 0, clock_timestamp(), $2, $3 FROM unnest($1::uuid[]) WITH ORDINALITY AS ordered (id, place) ORDER BY place`,
      [versionIds, userId, requestId],
    );
  }

  /** Versions that were announced: those that have no task yet, and are still there. In the order given; resolves with their number. */
  async addAnnounced(tx: TypeOrmTx, orders: readonly (EventOrigin & { readonly versionId: string })[]): Promise<number> {
    const added = await tx.query(
      `INSERT INTO preview_task (version_id, state, attempts, due_at, user_id, request_id)
       SELECT v.id, 'PENDING', 0, now(), ordered.user_id, ordered.request_id
       FROM unnest($1::uuid[], $2::text[], $3::text[]) WITH ORDINALITY AS ordered (version_id, user_id, request_id, place) JOIN file_version v ON v.id = ordered.version_id
       ORDER BY ordered.place FOR KEY SHARE OF v ON CONFLICT DO NOTHING RETURNING version_id`,
      [orders.map(({ versionId }) => versionId), orders.map(({ userId }) => userId), orders.map(({ requestId }) => requestId)],
    );
    return added.length;
  }

  /**
   * The next one that is due, unless a scan holds it; counts the attempt, so that a file that takes the whole service down is given up too. In the
   * order of the index, whose first row is looked up and no other: a join is planned as if few were left of it, and all that wait were joined and sorted.
   */
  async claim(tx: TypeOrmTx, { owner, seconds }: PreviewLease): Promise<PreviewTask | undefined> {
    const [task] = await tx.query<PreviewTask>(
      `UPDATE preview_task SET attempts = attempts + 1, lease_owner = $1, due_at = now() + $2 * interval '1 second'
       WHERE version_id = (
         SELECT version_id FROM preview_task
         WHERE state = 'PENDING' AND due_at <= now() AND (SELECT quarantined_for IS NULL FROM file_version WHERE id = version_id)
         ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED
       )
       RETURNING version_id AS "versionId", attempts, user_id AS "userId", request_id AS "requestId"`,
      [owner, seconds],
    );
    return task;
  }

  async hold(tx: TypeOrmTx, versionId: string, { owner, seconds }: PreviewLease): Promise<void> {
    await tx.query(`UPDATE preview_task SET due_at = now() + $3 * interval '1 second' WHERE version_id = $1 AND lease_owner = $2 AND state = 'PENDING'`, [versionId, owner, seconds]);
  }

  /** False when it is somebody else's by now, or gone with its version. */
  async finish(tx: TypeOrmTx, versionId: string, owner: string, end: PreviewEnd): Promise<boolean> {
    const rows = await tx.query(
      `UPDATE preview_task SET state = $3, failure = $4, lease_owner = NULL WHERE version_id = $1 AND lease_owner = $2 AND state = 'PENDING' RETURNING version_id`,
      [versionId, owner, end.state, 'failure' in end ? end.failure : null],
    );
    return rows.length > 0;
  }

  async postpone(tx: TypeOrmTx, versionId: string, owner: string, seconds: number): Promise<void> {
    await tx.query(
      `UPDATE preview_task SET due_at = now() + $3 * interval '1 second', lease_owner = NULL WHERE version_id = $1 AND lease_owner = $2 AND state = 'PENDING'`, [versionId, owner, seconds],
    );
  }

  /** As if it had never been begun. */
  async putBack(tx: TypeOrmTx, versionId: string, owner: string): Promise<void> {
    await tx.query(
      `UPDATE preview_task SET due_at = now(), attempts = attempts - 1, lease_owner = NULL WHERE version_id = $1 AND lease_owner = $2 AND state = 'PENDING'`, [versionId, owner],
    );
  }
}
