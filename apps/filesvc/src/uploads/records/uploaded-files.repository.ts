import { Injectable } from '@nestjs/common';
import type { TypeOrmTx } from '@twinyard/service-kit';
import type { FileEntity } from '../../files/file.entity';
import { FileNamesRepository, type NamePlace, placesOf } from '../../files/file-names.repository';
import type { FileVersionEntity } from '../../versions/file-version.entity';

export type UploadedFile = FileEntity & { readonly tip: FileVersionEntity };

export interface InsertedFile {
  readonly file: UploadedFile;
  /** False when the sweep has taken the bytes: the transaction must not be committed. */
  readonly hadBlob: boolean;
}

const AUTHORSHIP = 'created_at, updated_at, created_by_id, updated_by_id, created_by_name, updated_by_name';
const AUTHORED = 'at, at, author_id, author_id, author_name, author_name';

/** The first to take a name makes others wait, so names are taken in the given order; the order of the files is that of lists. */
const INSERT = `
  WITH given AS MATERIALIZED (
    SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[], $5::bigint[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[],
      $15::text[], $16::text[], $17::timestamptz[], $18::text[], $19::text[])
      WITH ORDINALITY AS given (id, name, status, version_id, size, sha256, content_type, content_encoding, detected_content_type, quarantined_for, blob_key,
        tags, user_attributes, at, author_id, author_name, nth)
  ), slot AS (
    INSERT INTO file_name_slot (place, name, file_id) SELECT place, name, id FROM given, unnest($12::text[]) AS place ORDER BY nth, place
    ON CONFLICT DO NOTHING RETURNING file_id
  ), free AS MATERIALIZED (
    SELECT given.* FROM given JOIN (SELECT file_id FROM slot GROUP BY file_id HAVING count(*) = cardinality($12::text[])) AS won ON won.file_id = given.id
  ), made AS (
    INSERT INTO file (id, name, type, namespaces, parent_id, tags, user_attributes, status, tip_id, next_version, revision, ${AUTHORSHIP})
    SELECT id, name, 'file', $13::text[], $14::uuid, ARRAY(SELECT json_array_elements_text(tags::json)), user_attributes::json, status, version_id, 2, 1, ${AUTHORED} FROM free ORDER BY nth
    RETURNING id, position
  ), tree AS (
    INSERT INTO file_tree (ancestor_id, descendant_id, depth, position)
    SELECT coalesce(above.id, made.id), made.id, above.depth, made.position
    FROM made, (SELECT ancestor_id, depth + 1 FROM file_tree WHERE descendant_id = $14::uuid UNION ALL SELECT NULL, 0) AS above (id, depth)
  ), held AS (
    DELETE FROM loose_blob USING free WHERE key = blob_key RETURNING free.id
  ), version AS (
    INSERT INTO file_version (id, file_id, number, size, sha256, content_type, content_encoding, detected_content_type, quarantined_for, blob_key, ${AUTHORSHIP})
    SELECT version_id, id, 1, size, sha256, content_type, content_encoding, detected_content_type, quarantined_for, blob_key, ${AUTHORED} FROM free
  )
  SELECT free.id, held.id IS NOT NULL AS "hadBlob" FROM free LEFT JOIN held ON held.id = free.id`;

/** New files with their first versions. */
@Injectable()
export class UploadedFilesRepository {
  constructor(private readonly names: FileNamesRepository) {}

  /**
   * Files of uploads to one place, of different names: name, record, place in the tree and version, and the blob is loose no more, by one
   * statement. Those whose names are free, in the given order; of the others nothing is made.
   */
  async insert(tx: TypeOrmTx, place: NamePlace, files: readonly UploadedFile[]): Promise<readonly InsertedFile[]> {
    const [first] = files;
    if (first === undefined) return [];
    const { namespaces, parentId } = first;
    const places = placesOf(place);
    const rows = await tx.prepared<{ id: string; hadBlob: boolean }>(INSERT, [...columnsOf(files), places, namespaces, parentId, ...ownColumnsOf(files)]);
    const made = new Map(rows.map(({ id, hadBlob }) => [id, hadBlob]));
    // At the roots of several namespaces a name may be free in some of them.
    if (places.length > 1) for (const { id } of files) if (!made.has(id)) await this.names.give(tx, id);
    return files.flatMap((file) => {
      const hadBlob = made.get(file.id);
      return hadBlob === undefined ? [] : [{ file, hadBlob }];
    });
  }
}

function columnsOf(files: readonly UploadedFile[]): unknown[][] {
  const tips = files.map(({ tip }) => tip);
  return [
    files.map(({ id }) => id), files.map(({ name }) => name), files.map(({ status }) => status),
    tips.map(({ id }) => id), tips.map(({ size }) => size), tips.map(({ sha256 }) => sha256), tips.map(({ contentType }) => contentType), tips.map(({ contentEncoding }) => contentEncoding),
    tips.map(({ detectedContentType }) => detectedContentType), tips.map(({ quarantinedFor }) => quarantinedFor), tips.map(({ blobKey }) => blobKey),
  ];
}

/** What each upload says of its file, and whose it is. */
function ownColumnsOf(files: readonly UploadedFile[]): unknown[][] {
  return [
    files.map(({ tags }) => JSON.stringify(tags)), files.map(({ userAttributes }) => JSON.stringify(userAttributes)),
    files.map(({ createdAt }) => createdAt), files.map(({ createdById }) => createdById), files.map(({ createdByName }) => createdByName),
  ];
}
