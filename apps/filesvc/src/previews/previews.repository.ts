import { Injectable } from '@nestjs/common';
import { isUuid } from '@twinyard/conventions';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { DataSource } from 'typeorm';
import { FileEntity } from '../files/file.entity';
import { FileVersionEntity } from '../versions/file-version.entity';
import type { VersionOfFile } from '../versions/versions.repository';
import type { Preview } from './preview';
import type { VerifiedPreview } from './preview-addresses';
import type { OrderedVersion } from './preview-orders';

const COLUMNS = `id, version_id AS "versionId", width, height, content_type AS "contentType", blob_key AS "blobKey", size::float8 AS size, sha256, created_at AS "createdAt"`;

export interface NoPreview {
  readonly versionId: string;
  readonly why: string;
}

export interface PreviewOfFile {
  readonly preview: Preview;
  readonly fileName: string;
}

@Injectable()
export class PreviewsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** For the picture's own address, which was given to somebody who may read the file. */
  async findByAddress({ previewId }: VerifiedPreview): Promise<PreviewOfFile | undefined> {
    if (!isUuid(previewId)) return undefined;
    const [preview] = await this.dataSource.query<Preview[]>(`SELECT ${COLUMNS} FROM preview WHERE id = $1`, [previewId]);
    const found = preview && (await this.findVersion(preview.versionId));
    return preview && found && found.version.quarantinedFor === null ? { preview, fileName: found.file.name } : undefined;
  }

  /** For the service itself, which draws what nobody asks it for. */
  async findVersion(versionId: string): Promise<VersionOfFile | undefined> {
    const version = await this.dataSource.getRepository(FileVersionEntity).findOneBy({ id: versionId });
    const file = version && (await this.dataSource.getRepository(FileEntity).findOneBy({ id: version.fileId }));
    return version && file ? { version, file } : undefined;
  }

  /** By their versions. */
  async readOfVersions(tx: TypeOrmTx, versionIds: readonly string[]): Promise<ReadonlyMap<string, Preview>> {
    const previews = await tx.query<Preview>(`SELECT ${COLUMNS} FROM preview WHERE version_id = ANY($1::uuid[])`, [versionIds]);
    return new Map(previews.map((preview) => [preview.versionId, preview]));
  }

  /** Whether the version is there and has none; in a transaction that holds its file. */
  async isWanted(tx: TypeOrmTx, versionId: string): Promise<boolean> {
    return (await tx.query('SELECT FROM file_version WHERE id = $1 AND preview_id IS NULL', [versionId])).length > 0;
  }

  /** Versions of which there is no picture, each with the reason. */
  async noteNone(tx: TypeOrmTx, none: readonly NoPreview[]): Promise<void> {
    await tx.query(
      `UPDATE file_version SET no_preview = none.why FROM unnest($1::uuid[], $2::text[]) AS none (id, why) WHERE file_version.id = none.id`,
      [none.map(({ versionId }) => versionId), none.map(({ why }) => why)],
    );
  }

  /** The next behind `after`, in the order of their ids, of which there is no picture though there are pictures of such files; of these, or of all. */
  async failed(after: string, limit: number, ids?: readonly string[]): Promise<OrderedVersion[]> {
    return this.dataSource.query<OrderedVersion[]>(
      `SELECT version.id, file.namespaces FROM file_version AS version JOIN file ON file.id = version.file_id
       WHERE version.id > $1 AND no_preview <> 'has nothing to show' AND ($3::uuid[] IS NULL OR version.id = ANY($3::uuid[])) ORDER BY version.id LIMIT $2`,
      [after, limit, ids ?? null],
    );
  }

  /** The version has it from now on. */
  async insert(tx: TypeOrmTx, { id, versionId, width, height, contentType, blobKey, size, sha256, createdAt }: Preview): Promise<void> {
    await tx.query(
      'INSERT INTO preview (id, version_id, width, height, content_type, blob_key, size, sha256, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)',
      [id, versionId, width, height, contentType, blobKey, size, sha256, createdAt],
    );
    await tx.query('UPDATE file_version SET preview_id = $2, no_preview = NULL WHERE id = $1', [versionId, id]);
  }
}
