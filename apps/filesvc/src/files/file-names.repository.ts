import { Injectable } from '@nestjs/common';
import type { TypeOrmTx } from '@twinyard/service-kit';

/** Where a name is to be unique: a folder, or the root of each of some namespaces. */
export interface NamePlace {
  readonly parentId: string | null;
  readonly namespaces: readonly string[];
}

const placesOf = ({ parentId, namespaces }: NamePlace) => (parentId === null ? namespaces.map((namespace) => `root of ${namespace}`).sort() : [parentId]);

/** The names that are taken. The first to take one makes the others wait for its transaction. */
@Injectable()
export class FileNamesRepository {
  /** The ids of those that have the name at the place. */
  async holders(tx: TypeOrmTx, place: NamePlace, name: string): Promise<string[]> {
    const sql = 'SELECT DISTINCT file_id AS id FROM file_name_slot WHERE place = ANY($1::text[]) AND name = $2';
    return (await tx.query<{ id: string }>(sql, [placesOf(place), name])).map(({ id }) => id);
  }

  /** Those of the names that somebody has at the place. */
  async taken(tx: TypeOrmTx, place: NamePlace, names: readonly string[]): Promise<ReadonlySet<string>> {
    const sql = 'SELECT DISTINCT name FROM file_name_slot WHERE place = ANY($1::text[]) AND name = ANY($2::text[])';
    return new Set((await tx.query<{ name: string }>(sql, [placesOf(place), names])).map(({ name }) => name));
  }

  /** False when the name is taken, by somebody whose transaction has ended. */
  async take(tx: TypeOrmTx, place: NamePlace, name: string, fileId: string): Promise<boolean> {
    return (await this.takeMany(tx, place, [{ id: fileId, name }])).has(fileId);
  }

  /** In the order in which they are given; the ids of those whose names were free. */
  async takeMany(tx: TypeOrmTx, place: NamePlace, files: readonly { readonly id: string; readonly name: string }[]): Promise<ReadonlySet<string>> {
    const places = placesOf(place);
    const sql = `INSERT INTO file_name_slot (place, name, file_id)
      SELECT place, given.name, given.id FROM unnest($2::text[], $3::uuid[]) WITH ORDINALITY AS given (name, id, nth), unnest($1::text[]) AS place
      ORDER BY nth, place ON CONFLICT DO NOTHING RETURNING file_id AS id`;
    const slots = await tx.query<{ id: string }>(sql, [places, files.map(({ name }) => name), files.map(({ id }) => id)]);
    const counts = new Map<string, number>();
    for (const { id } of slots) counts.set(id, (counts.get(id) ?? 0) + 1);
    const free = new Set(files.map(({ id }) => id).filter((id) => counts.get(id) === places.length));
    for (const { id } of files) if (!free.has(id)) await this.give(tx, id);
    return free;
  }

  async give(tx: TypeOrmTx, fileId: string): Promise<void> {
    await tx.query('DELETE FROM file_name_slot WHERE file_id = $1', [fileId]);
  }
}
