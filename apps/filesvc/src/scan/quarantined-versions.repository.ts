import { Injectable } from '@nestjs/common';
import { isUuid } from '@twinyard/conventions';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { DataSource } from 'typeorm';

/** A version as an operator sees it. */
export interface ScannedVersion {
  readonly versionId: string;
  readonly fileId: string;
  readonly name: string;
  readonly namespaces: readonly string[];
  readonly size: number;
  readonly blobKey: string;
  /** What the last scan found. */
  readonly found: string | null;
}

const SELECT = `SELECT version.id AS "versionId", file.id AS "fileId", file.name, file.namespaces, version.size::float8 AS size, version.blob_key AS "blobKey",
  version.quarantined_for AS found FROM file_version AS version JOIN file ON file.id = version.file_id`;

/** Versions by what scans found in them. */
@Injectable()
export class QuarantinedVersionsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** The next behind `after`, in the order of their ids. */
  async next(after: string, which: 'quarantined' | 'all', limit: number): Promise<ScannedVersion[]> {
    const only = which === 'quarantined' ? 'AND version.quarantined_for IS NOT NULL' : '';
    return this.dataSource.query<ScannedVersion[]>(`${SELECT} WHERE version.id > $1 ${only} ORDER BY version.id LIMIT $2`, [after, limit]);
  }

  async find(versionId: string): Promise<ScannedVersion | undefined> {
    if (!isUuid(versionId)) return undefined;
    return (await this.dataSource.query<ScannedVersion[]>(`${SELECT} WHERE version.id = $1`, [versionId]))[0];
  }

  async mark(tx: TypeOrmTx, versionId: string, found: string | null): Promise<void> {
    await tx.query('UPDATE file_version SET quarantined_for = $2 WHERE id = $1', [versionId, found]);
  }
}
