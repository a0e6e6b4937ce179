import type { DataSource } from 'typeorm';

export interface BlobReference {
  readonly key: string;
  readonly versionId: string;
  readonly fileId: string;
}

/** What the database knows of blobs, for comparing it with the store. */
export class BlobReferencesRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** The next blobs behind `after` that versions hold, in the order of their keys. */
  async next(after: string, limit: number): Promise<BlobReference[]> {
    return this.dataSource.query<BlobReference[]>(
      `SELECT key, "versionId", "fileId" FROM (
         (SELECT blob_key AS key, id AS "versionId", file_id AS "fileId" FROM file_version WHERE blob_key > $1 ORDER BY blob_key LIMIT $2)
         UNION ALL
         (SELECT preview.blob_key, version.id, version.file_id FROM preview JOIN file_version version ON version.id = preview.version_id
          WHERE preview.blob_key > $1 ORDER BY preview.blob_key LIMIT $2)
       ) AS held ORDER BY key LIMIT $2`,
      [after, limit],
    );
  }

  /** Those of the keys that neither a version holds nor an upload under way has noted. */
  async unknown(keys: readonly string[]): Promise<string[]> {
    const rows = await this.dataSource.query<{ key: string }[]>(
      `SELECT key FROM unnest($1::text[]) AS given (key)
       WHERE NOT EXISTS (SELECT FROM file_version WHERE blob_key = given.key) AND NOT EXISTS (SELECT FROM preview WHERE blob_key = given.key) AND NOT EXISTS (SELECT FROM loose_blob WHERE key = given.key)`,
      [keys],
    );
    return rows.map(({ key }) => key);
  }

  /** Hands blobs to the sweep, which removes them after `seconds`. */
  async release(keys: readonly string[], seconds: number): Promise<void> {
    await this.dataSource.query(
      `INSERT INTO loose_blob (key, expires_at) SELECT key, now() + $2 * interval '1 second' FROM unnest($1::text[]) AS given (key) ON CONFLICT DO NOTHING`, [keys, seconds],
    );
  }
}
