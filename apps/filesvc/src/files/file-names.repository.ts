import { Injectable } from '@nestjs/common';
import type { TypeOrmTx } from '@twinyard/service-kit';

/** Where a name is to be unique: a folder, or the root of each of some namespaces. */
export interface NamePlace {
  readonly parentId: string | null;
  readonly namespaces: readonly string[];
}

export const placesOf = ({ parentId, namespaces }: NamePlace) => (parentId === null ? namespaces.map((namespace) => `root of ${namespace}`).sort() : [parentId]);

/** The names that are taken. The first to take one makes the others wait for its transaction. */
@Injectable()
export class FileNamesRepository {
  /** The ids of those that have the name at the place. */
  async holders(tx: TypeOrmTx, place: NamePlace, name: string): Promise<string[]> {
    const sql = 'SELECT DISTINCT file_id AS id FROM file_name_slot WHERE place = ANY($1::text[]) AND name = $2';
    return (await tx.query<{ id: string }>(sql, [placesOf(place), name])).map(({ id }) => id);
  }

  /** The same of several names; one that nothing has there is missing. */
  async holdersOf(tx: TypeOrmTx, place: NamePlace, names: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    const sql = 'SELECT name, array_agg(DISTINCT file_id) AS ids FROM file_name_slot WHERE place = ANY($1::text[]) AND name = ANY($2::text[]) GROUP BY name';
    return new Map((await tx.prepared<{ name: string; ids: string[] }>(sql, [placesOf(place), names])).map(({ name, ids }) => [name, ids]));
  }

  /** False when the name is taken, by somebody whose transaction has ended. */
  async take(tx: TypeOrmTx, place: NamePlace, name: string, fileId: string): Promise<boolean> {
    const places = placesOf(place);
    const sql = 'INSERT INTO file_name_slot (place, name, file_id) SELECT place, $2, $3 FROM unnest($1::text[]) AS place ORDER BY place ON CONFLICT DO NOTHING RETURNING place';
    const slots = await tx.query(sql, [places, name, fileId]);
    if (slots.length < places.length) await this.give(tx, fileId);
    return slots.length === places.length;
  }

  async give(tx: TypeOrmTx, fileId: string): Promise<void> {
    await tx.query('DELETE FROM file_name_slot WHERE file_id = $1', [fileId]);
  }
}
