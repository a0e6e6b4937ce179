import { Injectable } from '@nestjs/common';
import { grantedRecords, type NamespaceScope, wholeNamespaces } from '@twinyard/auth';
import { conflict, isUuid, type Paging, type Slice } from '@twinyard/conventions';
import { isUniqueViolation, type SqlTx } from '@twinyard/service-kit';
import { DataSource } from 'typeorm';
import { sliceInTime } from '../storage/slice-in-time.repository';
import { type Kind, KINDS, type Resource } from './resource';

export interface ResourceFilter {
  readonly name?: string;
  readonly namespaces?: readonly string[];
}

interface Row {
  readonly id: string;
  readonly kind: Kind;
  readonly namespace: string;
  readonly name: string;
  readonly version: number;
  readonly body: Record<string, unknown>;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly created_by_id: string;
  readonly updated_by_id: string;
}

const IN_SCOPE = `kind = $1 AND (namespace = ANY($2) OR EXISTS (
  SELECT FROM unnest($3::text[], $4::text[]) AS granted (namespace, id) WHERE granted.namespace = resource.namespace AND granted.id = resource.id::text))`;

@Injectable()
export class ResourcesRepository {
  constructor(private readonly dataSource: DataSource) {}

  async list(scope: NamespaceScope, kind: Kind, filter: ResourceFilter, paging: Paging): Promise<Slice<Resource>> {
    const where = `${IN_SCOPE} AND ($5::text IS NULL OR name = $5) AND ($6::text[] IS NULL OR namespace = ANY($6))`;
    const parameters = [...scopeParameters(scope, kind), filter.name ?? null, filter.namespaces ?? null];
    return sliceInTime(this.dataSource, { table: 'resource', where, parameters, heavy: 'body', map: toResource }, paging);
  }

  async find(scope: NamespaceScope, kind: Kind, id: string): Promise<Resource | undefined> {
    if (!isUuid(id)) return undefined;
    const rows = await this.dataSource.query<Row[]>(`SELECT * FROM resource WHERE ${IN_SCOPE} AND id = $5`, [...scopeParameters(scope, kind), id]);
    return rows[0] && toResource(rows[0]);
  }

  /** For work that no caller asked for: deliveries, links, references inside one namespace. */
  async findIn(tx: SqlTx, namespace: string, kind: Kind, id: string): Promise<Resource | undefined> {
    if (!isUuid(id)) return undefined;
    const rows = await tx.query<Row>('SELECT * FROM resource WHERE namespace = $1 AND kind = $2 AND id = $3', [namespace, kind, id]);
    return rows[0] && toResource(rows[0]);
  }

  async findById(tx: SqlTx, kind: Kind, id: string): Promise<Resource | undefined> {
    if (!isUuid(id)) return undefined;
    const rows = await tx.query<Row>('SELECT * FROM resource WHERE kind = $1 AND id = $2', [kind, id]);
    return rows[0] && toResource(rows[0]);
  }

  async findByName(tx: SqlTx, namespace: string, kind: Kind, name: string): Promise<Resource | undefined> {
    const rows = await tx.query<Row>('SELECT * FROM resource WHERE namespace = $1 AND kind = $2 AND name = $3', [namespace, kind, name]);
    return rows[0] && toResource(rows[0]);
  }

  async triggersOf(tx: SqlTx, namespaces: readonly string[]): Promise<Resource[]> {
    const rows = await tx.query<Row>(`SELECT * FROM resource WHERE kind = 'trigger' AND namespace = ANY($1) ORDER BY created_at, id`, [namespaces]);
    return rows.map(toResource);
  }

  /** Accepted subscriptions of these groups. */
  async subscriptionsOf(tx: SqlTx, groupIds: readonly string[]): Promise<Resource[]> {
    const rows = await tx.query<Row>(
      `SELECT * FROM resource WHERE kind = 'subscription' AND body->'_group'->>'_id' = ANY($1) AND body->>'_status' = 'ACCEPTED' ORDER BY created_at, id`,
      [groupIds],
    );
    return rows.map(toResource);
  }

  /** The sender whose template asks the members of a group: that of the first trigger of the group that has one. */
  async askingSender(tx: SqlTx, namespace: string, groupId: string): Promise<Resource | undefined> {
    const [row] = await tx.query<Row>(
      `SELECT s.* FROM resource t
       CROSS JOIN LATERAL jsonb_array_elements(t.body->'_senders') WITH ORDINALITY AS named (sender, place)
       JOIN resource s ON s.id::text = named.sender->>'_id' AND s.kind = 'sender' AND s.namespace = t.namespace
       WHERE t.kind = 'trigger' AND t.namespace = $1 AND t.body->'_groups' @> jsonb_build_array(jsonb_build_object('_id', $2::text))
         AND s.body->>'_transport' = 'EMAIL'
       ORDER BY (s.body->'_templates'->>'SUBSCRIBE_VERIFY') IS NULL, t.created_at, t.id, named.place LIMIT 1`,
      [namespace, groupId],
    );
    return row && toResource(row);
  }

  async subscriptionsOfDevice(tx: SqlTx, deviceId: string): Promise<Resource[]> {
    const rows = await tx.query<Row>(`SELECT * FROM resource WHERE kind = 'subscription' AND body->'_device'->>'_id' = $1`, [deviceId]);
    return rows.map(toResource);
  }

  /** @throws ServiceError `conflict` when the name is taken in the namespace. */
  async insert(tx: SqlTx, resource: Resource): Promise<void> {
    try {
      await tx.query(
        `INSERT INTO resource (id, kind, namespace, name, version, body, created_at, updated_at, created_by_id, updated_by_id)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
        [resource.id, resource.kind, resource.namespace, resource.name, resource.version, JSON.stringify(resource.body), resource.createdAt, resource.updatedAt,
          resource.createdById, resource.updatedById],
      );
    } catch (error) {
      throw isUniqueViolation(error) ? conflict(`There is a ${resource.kind} named ${JSON.stringify(resource.name)} in ${resource.namespace} already`) : error;
    }
  }

  /** False when the record is gone or has another version than `from` by now. */
  async replace(tx: SqlTx, from: number, { id, version, body, updatedAt, updatedById }: Resource): Promise<boolean> {
    const rows = await tx.query(
      'UPDATE resource SET version = $3, body = $4, updated_at = $5, updated_by_id = $6 WHERE id = $1 AND version = $2 RETURNING id',
      [id, from, version, JSON.stringify(body), updatedAt, updatedById],
    );
    return rows.length > 0;
  }

  /** For a purge. The kinds are named for the index, which begins with them. */
  async removeIn(tx: SqlTx, namespace: string, limit: number): Promise<number> {
    const some = 'SELECT id FROM resource WHERE kind = ANY($1) AND namespace = $2 LIMIT $3 FOR UPDATE';
    return (await tx.query(`DELETE FROM resource WHERE id IN (${some}) RETURNING id`, [KINDS, namespace, limit])).length;
  }

  async remove(tx: SqlTx, id: string, version: number): Promise<boolean> {
    return (await tx.query('DELETE FROM resource WHERE id = $1 AND version = $2 RETURNING id', [id, version])).length > 0;
  }
}

function scopeParameters(scope: NamespaceScope, kind: Kind): unknown[] {
  const single = grantedRecords(scope);
  return [kind, wholeNamespaces(scope), single.namespaces, single.ids];
}

const toResource = (row: Row): Resource => ({
  id: row.id, kind: row.kind, namespace: row.namespace, name: row.name, version: row.version, body: row.body,
  createdAt: row.created_at, updatedAt: row.updated_at, createdById: row.created_by_id, updatedById: row.updated_by_id,
});
