import type { DataSource } from 'typeorm';

export interface BlobReference {
  readonly key: string;
  /** The version whose bytes or picture it is. */
  readonly versionId: string;
  readonly fileId: string;
  /** Bytes. */
  readonly size: number;
  /** Hex. */
  readonly sha256: string;
}

export interface UnfinishedUpload {
  readonly uploadId: string;
  readonly fileId: string;
  /** Bytes that have come, and that were announced. */
  readonly received: number;
  readonly size: number;
  /** When it is swept, unless it ends before. */
  readonly expiresAt: Date;
}

export interface UnfinishedUploads {
  readonly count: number;
  /** When the last of them expires. */
  readonly until: Date | null;
}

const HELD = `
  SELECT blob_key AS key, id AS "versionId", file_id AS "fileId", size, sha256 FROM file_version
  UNION ALL
  SELECT preview.blob_key, version.id, version.file_id, preview.size, preview.sha256 FROM preview JOIN file_version version ON version.id = preview.version_id`;

const toReference = (row: BlobReference): BlobReference => ({ ...row, size: Number(row.size) });

/** What the database knows of blobs, for comparing it with the store. */
export class BlobReferencesRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** The next blobs behind `after` that versions and their pictures hold, in the order of their keys. */
  async next(after: string, limit: number): Promise<BlobReference[]> {
    const rows = await this.dataSource.query<BlobReference[]>(
      `SELECT * FROM (
         (SELECT blob_key AS key, id AS "versionId", file_id AS "fileId", size, sha256 FROM file_version WHERE blob_key > $1 ORDER BY blob_key LIMIT $2)
         UNION ALL
         (SELECT preview.blob_key, version.id, version.file_id, preview.size, preview.sha256 FROM preview JOIN file_version version ON version.id = preview.version_id
          WHERE preview.blob_key > $1 ORDER BY preview.blob_key LIMIT $2)
       ) AS held ORDER BY key LIMIT $2`,
      [after, limit],
    );
    return rows.map(toReference);
  }

  /** Those of the keys that are held still. */
  async held(keys: readonly string[]): Promise<BlobReference[]> {
    const rows = await this.dataSource.query<BlobReference[]>(`SELECT * FROM (${HELD}) AS held WHERE key = ANY($1::text[]) ORDER BY key`, [keys]);
    return rows.map(toReference);
  }

  /** The next keys behind `after` of blobs that nothing holds, yet or any more, and that the sweep has not removed. */
  async nextLoose(after: string, limit: number): Promise<string[]> {
    const rows = await this.dataSource.query<{ key: string }[]>('SELECT key FROM loose_blob WHERE key > $1 ORDER BY key LIMIT $2', [after, limit]);
    return rows.map(({ key }) => key);
  }

  /** Those of the keys that neither a version or its picture holds nor an upload under way has noted. */
  async orphanedOf(keys: readonly string[]): Promise<string[]> {
    const rows = await this.dataSource.query<{ key: string }[]>(
      `SELECT key FROM unnest($1::text[]) AS given (key)
       WHERE NOT EXISTS (SELECT FROM file_version WHERE blob_key = given.key) AND NOT EXISTS (SELECT FROM preview WHERE blob_key = given.key) AND NOT EXISTS (SELECT FROM loose_blob WHERE key = given.key)`,
      [keys],
    );
    return rows.map(({ key }) => key);
  }

  /** As `orphanedOf` for one key; waits for a sweep that is just removing it, so that its end is known. */
  async isUnknown(key: string): Promise<boolean> {
    const noted = await this.dataSource.query<unknown[]>('SELECT FROM loose_blob WHERE key = $1 FOR SHARE', [key]);
    return noted.length === 0 && (await this.orphanedOf([key])).length > 0;
  }

  /** Hands blobs to the sweep, which removes them after `seconds`. */
  async release(keys: readonly string[], seconds: number): Promise<void> {
    await this.dataSource.query(
      `INSERT INTO loose_blob (key, expires_at) SELECT key, now() + $2 * interval '1 second' FROM unnest($1::text[]) AS given (key) ON CONFLICT DO NOTHING`, [keys, seconds],
    );
  }

  /** The next uploads in pieces behind `after`, expired ones included while their bytes are there. */
  async nextUnfinished(after: string, limit: number): Promise<UnfinishedUpload[]> {
    return this.dataSource.query<UnfinishedUpload[]>(
      `SELECT id AS "uploadId", file_id AS "fileId", (received->>'offset')::float8 AS received, size::float8 AS size, expires_at AS "expiresAt"
       FROM resumable_upload WHERE id > $1 ORDER BY id LIMIT $2`,
      [after, limit],
    );
  }

  /** Uploads in pieces that began in this store and may go on. */
  async unfinishedIn(store: string): Promise<UnfinishedUploads> {
    const [row] = await this.dataSource.query<{ count: string; until: Date | null }[]>(
      `SELECT count(*) AS count, max(expires_at) AS until FROM resumable_upload WHERE received->>'store' = $1 AND expires_at > now()`, [store],
    );
    return { count: Number(row?.count ?? 0), until: row?.until ?? null };
  }
}
