import { Inject, Injectable } from '@nestjs/common';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { FILESVC_SETTINGS, type FilesvcSettings } from '../config';

/** Of these versions, and of their pictures. */
const release = (which: string) => `
  WITH gone AS (SELECT id, blob_key FROM file_version WHERE ${which})
  INSERT INTO loose_blob (key, expires_at)
  SELECT key, now() + $2 * interval '1 second' FROM (
    SELECT blob_key AS key FROM gone UNION ALL SELECT preview.blob_key FROM preview JOIN gone ON gone.id = preview.version_id
  ) AS held`;

/** Blobs that no version holds (yet, or any more). */
@Injectable()
export class LooseBlobsRepository {
  constructor(@Inject(FILESVC_SETTINGS) private readonly settings: Pick<FilesvcSettings, 'BLOB_RETENTION_SECONDS'>) {}

  async insert(tx: TypeOrmTx, key: string, expiresAt: Date): Promise<void> {
    await this.insertAll(tx, [key], expiresAt);
  }

  async insertAll(tx: TypeOrmTx, keys: readonly string[], expiresAt: Date): Promise<void> {
    await tx.preparedLater('INSERT INTO loose_blob (key, expires_at) SELECT key, $2 FROM unnest($1::text[]) AS key', [keys, expiresAt]);
  }

  /** As `insert`; one that is noted already is kept for longer. */
  async note(tx: TypeOrmTx, key: string, expiresAt: Date): Promise<void> {
    await tx.query('INSERT INTO loose_blob (key, expires_at) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET expires_at = excluded.expires_at', [key, expiresAt]);
  }

  /**
   * Lets go of the blobs of all versions of these files, or of one version; they are removed when their retention has passed. What
   * is being uploaded to the files is over, and swept.
   */
  async releaseOfFiles(tx: TypeOrmTx, fileIds: readonly string[]): Promise<void> {
    await tx.query(release('file_id = ANY($1::uuid[])'), [fileIds, this.settings.BLOB_RETENTION_SECONDS]);
    await tx.query(`UPDATE resumable_upload SET expires_at = now() - interval '1 second', lease_owner = NULL, lease_until = NULL WHERE file_id = ANY($1::uuid[])`, [fileIds]);
  }

  async releaseOfVersion(tx: TypeOrmTx, versionId: string): Promise<void> {
    await tx.query(release('id = $1'), [versionId, this.settings.BLOB_RETENTION_SECONDS]);
  }

  /** From now on a version holds the blob. False when the sweep has taken it. */
  async take(tx: TypeOrmTx, key: string): Promise<boolean> {
    return this.takeAll(tx, [key]);
  }

  /** The same of several; true when it could be done with each. */
  async takeAll(tx: TypeOrmTx, keys: readonly string[]): Promise<boolean> {
    return (await tx.query('DELETE FROM loose_blob WHERE key = ANY($1::text[]) RETURNING key', [keys])).length === keys.length;
  }

  /** Whether these are the bytes of a version, or its picture. */
  async isHeld(tx: TypeOrmTx, key: string): Promise<boolean> {
    const sql = 'SELECT FROM file_version WHERE blob_key = $1 UNION ALL SELECT FROM preview WHERE blob_key = $1';
    return (await tx.query(sql, [key])).length > 0;
  }

  /** Some that expired before, kept from others until the transaction ends. */
  async claimExpired(tx: TypeOrmTx, before: Date, limit: number): Promise<string[]> {
    const sql = 'SELECT key FROM loose_blob WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED';
    return (await tx.query<{ key: string }>(sql, [before, limit])).map(({ key }) => key);
  }
}
