import { Injectable } from '@nestjs/common';
import type { PartialObject } from '@twinyard/blobs';
import { isUuid } from '@twinyard/conventions';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { DataSource, type EntityManager } from 'typeorm';
import { ResumableUploadEntity } from './resumable-upload.entity';

/** Who writes, and for how long that is believed without another word. */
export interface UploadLease {
  readonly owner: string;
  readonly leaseMs: number;
}

const LEASED = `SET lease_owner = $2, lease_until = now() + $3 * interval '1 millisecond'`;

@Injectable()
export class ResumableUploadsRepository {
  constructor(private readonly dataSource: DataSource) {}

  async insert(tx: TypeOrmTx, upload: ResumableUploadEntity): Promise<void> {
    await tx.manager.insert(ResumableUploadEntity, { ...upload, received: upload.received as object });
  }

  /** Those of a file that are under way and have not expired, the latest first. */
  async ofFile(fileId: string, manager: EntityManager = this.dataSource.manager): Promise<ResumableUploadEntity[]> {
    if (!isUuid(fileId)) return [];
    return manager.createQueryBuilder(ResumableUploadEntity, 'upload').where('upload.file_id = :fileId AND upload.expires_at > now()', { fileId }).orderBy('upload.created_at', 'DESC').getMany();
  }

  async read(id: string): Promise<ResumableUploadEntity | undefined> {
    return (await this.dataSource.manager.findOneBy(ResumableUploadEntity, { id })) ?? undefined;
  }

  /** False while somebody else writes. */
  async lease(id: string, { owner, leaseMs }: UploadLease): Promise<boolean> {
    const sql = `UPDATE resumable_upload ${LEASED} WHERE id = $1 AND (lease_until IS NULL OR lease_until < now() OR lease_owner = $2) RETURNING id`;
    return (await this.changed(sql, [id, owner, leaseMs])) > 0;
  }

  /** False when the lease was lost, or the upload is gone. */
  async renew(id: string, { owner, leaseMs }: UploadLease): Promise<boolean> {
    return (await this.changed(`UPDATE resumable_upload ${LEASED} WHERE id = $1 AND lease_owner = $2 RETURNING id`, [id, owner, leaseMs])) > 0;
  }

  async release(id: string, owner: string): Promise<void> {
    await this.dataSource.query('UPDATE resumable_upload SET lease_owner = NULL, lease_until = NULL WHERE id = $1 AND lease_owner = $2', [id, owner]);
  }

  /** Writes down how far it has come; false as for `renew`. A file that waited for its first content says that it comes. */
  async save(id: string, lease: UploadLease, received: PartialObject): Promise<boolean> {
    const sql = `WITH saved AS (UPDATE resumable_upload ${LEASED}, received = $4 WHERE id = $1 AND lease_owner = $2 RETURNING file_id),
      told AS (UPDATE file SET status = 'UPLOADING', revision = revision + 1 FROM saved WHERE id = saved.file_id AND status = 'UPLOAD_PENDING')
      SELECT file_id FROM saved`;
    return (await this.dataSource.query<unknown[]>(sql, [id, lease.owner, lease.leaseMs, JSON.stringify(received)])).length > 0;
  }

  /** The sweep removes it, with its bytes. */
  async giveUp(tx: TypeOrmTx, id: string): Promise<void> {
    await tx.query(`UPDATE resumable_upload SET expires_at = now() - interval '1 second' WHERE id = $1`, [id]);
  }

  async remove(tx: TypeOrmTx, id: string): Promise<boolean> {
    return (await tx.query('DELETE FROM resumable_upload WHERE id = $1 RETURNING id', [id])).length > 0;
  }

  /** Some that expired before and that nobody writes to, kept from others until the transaction ends. */
  async claimExpired(tx: TypeOrmTx, before: Date, limit: number): Promise<ResumableUploadEntity[]> {
    return tx.manager
      .createQueryBuilder(ResumableUploadEntity, 'upload')
      .where('upload.expires_at <= :before AND (upload.lease_until IS NULL OR upload.lease_until < now())', { before })
      .limit(limit)
      .setLock('pessimistic_write')
      .setOnLocked('skip_locked')
      .getMany();
  }

  private async changed(sql: string, parameters: unknown[]): Promise<number> {
    const [rows] = await this.dataSource.query<[unknown[], number]>(sql, parameters);
    return rows.length;
  }
}
