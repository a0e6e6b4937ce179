import { Injectable } from '@nestjs/common';
import { type GrantableAction, newUuid, type Paging, type PrincipalType, type ResourceCriteria, type Slice, type SubresourceDesc } from '@twinyard/conventions';
import { answerBytesOf, packedBytes, sliceOf, type SqlTx } from '@twinyard/service-kit';
import { DataSource, type SelectQueryBuilder } from 'typeorm';
import { LivingOwners } from '../ownership/living-owners';
import { Permission } from './permission.entity';

export const ALL_RESOURCES = '*:*:*';

export interface PrincipalRef {
  readonly type: PrincipalType;
  readonly id: string;
}

export interface PermissionDraft {
  readonly namespace: string;
  readonly actions: readonly GrantableAction[];
  readonly irn: string;
  readonly criteria?: ResourceCriteria;
  readonly subresource?: SubresourceDesc;
  readonly user: PrincipalRef;
  readonly createdById: string;
}

/** IRN patterns in a namespace on which the caller may see everybody's permissions. */
export interface SharedPattern {
  readonly namespace: string;
  readonly service: string;
  readonly type: string;
  readonly id: string;
}

/** Whose permissions a list may show: those of these principals, and those on what may be shared. */
export interface Visibility {
  readonly principals: readonly PrincipalRef[];
  readonly shared: readonly SharedPattern[];
}

export interface PermissionFilter {
  readonly namespaces?: readonly string[];
  readonly principalIds?: readonly string[];
  readonly principalTypes?: readonly string[];
  readonly irns?: readonly string[];
  readonly itemClass?: string;
  readonly userType?: string;
  readonly withoutCriteria?: boolean;
  /** Only permissions that concern this service, besides those on all services. */
  readonly service?: string;
}

export type HeldPermission = Pick<Permission, 'id' | 'namespace' | 'actions' | 'irn' | 'criteria' | 'subresource' | 'principalType' | 'principalId'>;
const HELD_COLUMNS = 'p.id, p.namespace, p.actions, p.irn, p.criteria, p.subresource, p.principal_type AS "principalType", p.principal_id AS "principalId"';

@Injectable()
export class PermissionsRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly owners: LivingOwners,
  ) {}

  /** What an answer weighs at most. */
  get answerBytes(): number {
    return answerBytesOf(this.dataSource);
  }

  /** Creates the permission, or replaces the actions of the one with the same identity. */
  async grant(tx: SqlTx, draft: PermissionDraft): Promise<Permission> {
    if (couldTakeOwner(draft)) await this.owners.beforeLossIn(tx, await this.heldForReplacement(tx, draft));
    const [row] = await tx.query<{ id: string }>(
      `INSERT INTO permission (id, namespace, actions, irn, criteria, subresource, principal_type, principal_id, created_at, updated_at, created_by_id, updated_by_id)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, now(), now(), $9, $9)
       ON CONFLICT (namespace, principal_type, principal_id, irn, coalesce(criteria, '{}'), coalesce(subresource, '{}'))
       DO UPDATE SET actions = excluded.actions, updated_at = now(), updated_by_id = excluded.updated_by_id
       RETURNING id`,
      [newUuid(), draft.namespace, draft.actions, draft.irn, draft.criteria ?? null, draft.subresource ?? null, draft.user.type, draft.user.id, draft.createdById],
    );
    const [permission] = await tx.query<PermissionRow>('SELECT * FROM permission WHERE id = $1', [row?.id]);
    return toEntity(permission as PermissionRow);
  }

  /** False: somebody else was first. */
  async remove(tx: SqlTx, id: string): Promise<boolean> {
    const rows = await tx.query<PermissionRow>('SELECT * FROM permission WHERE id = $1 FOR UPDATE', [id]);
    await this.owners.beforeLossIn(tx, rows.map(toEntity).filter(makesOwner).map(({ namespace }) => namespace));
    return (await tx.query('DELETE FROM permission WHERE id = $1 RETURNING id', [id])).length > 0;
  }

  /** Everything that a principal was granted, when it is deleted. */
  async removeAllFor(tx: SqlTx, principal: PrincipalRef): Promise<void> {
    await this.owners.beforeLossOf(tx, principal);
    await tx.query('DELETE FROM permission WHERE principal_type = $1 AND principal_id = $2', [principal.type, principal.id]);
  }

  async findVisible(visibility: Visibility, id: string): Promise<Permission | undefined> {
    return (await this.visible(visibility).andWhere('permission.id = :id', { id }).getOne()) ?? undefined;
  }

  list(visibility: Visibility, filter: PermissionFilter, paging: Paging): Promise<Slice<Permission>> {
    return sliceOf(applyFilter(this.visible(visibility), filter), paging, ['createdAt', 'id']);
  }

  async listOf(principal: PrincipalRef, paging: Paging): Promise<Slice<Permission>> {
    return this.list({ principals: [principal], shared: [] }, {}, paging);
  }

  /** What one of these principals holds that concerns `service`. */
  async grantsOf(principals: readonly PrincipalRef[], service: string): Promise<Permission[]> {
    return (await this.held<PermissionRow>('p.*', principals, service)).map(toEntity);
  }

  /** The same for each request's check, without what it does not ask for: to read the dates of 500 permissions took a third of its time. */
  heldBy(principals: readonly PrincipalRef[], service: string): Promise<HeldPermission[]> {
    return this.held<HeldPermission>(HELD_COLUMNS, principals, service);
  }

  /** The organization of each of these namespaces that belongs to one. */
  async organizationsOf(namespaces: readonly string[]): Promise<Readonly<Record<string, string>>> {
    const rows = await this.dataSource.query<{ name: string; org_id: string }[]>('SELECT name, org_id FROM namespace WHERE name = ANY($1) AND org_id IS NOT NULL', [namespaces]);
    return Object.fromEntries(rows.map(({ name, org_id: id }) => [name, id]));
  }

  /** By the id of each of these principals what it holds weighs, as it is kept. */
  async weightsOf(principals: readonly PrincipalRef[]): Promise<ReadonlyMap<string, number>> {
    const rows = await this.dataSource.query<{ id: string; packed: string }[]>(
      `SELECT p.principal_id AS id, sum(${packedBytes(['p.actions', 'p.irn', 'p.criteria', 'p.subresource'])}) AS packed
       FROM permission p JOIN unnest($1::text[], $2::text[]) AS principal (type, id) ON p.principal_type = principal.type AND p.principal_id = principal.id GROUP BY p.principal_id`,
      [principals.map(({ type }) => type), principals.map(({ id }) => id)],
    );
    return new Map(rows.map(({ id, packed }) => [id, Number(packed)]));
  }

  /** `columns`: from the code, never from a caller. */
  private held<R>(columns: string, principals: readonly PrincipalRef[], service: string): Promise<R[]> {
    return this.dataSource.query<R[]>(
      `SELECT ${columns} FROM permission p JOIN unnest($1::text[], $2::text[]) AS principal (type, id)
         ON p.principal_type = principal.type AND p.principal_id = principal.id
       WHERE ($3 = '*' OR p.service IN ('*', $3))
         AND NOT EXISTS (SELECT FROM namespace n WHERE n.name = p.namespace AND n.hidden)`,
      [principals.map(({ type }) => type), principals.map(({ id }) => id), service],
    );
  }

  /** The namespace, when what is replaced makes an owner there. Whoever replaces it at the same time waits. */
  private async heldForReplacement(tx: SqlTx, { namespace, irn, user }: PermissionDraft): Promise<string[]> {
    const rows = await tx.query<PermissionRow>(
      'SELECT * FROM permission WHERE namespace = $1 AND irn = $2 AND principal_type = $3 AND principal_id = $4 FOR UPDATE', [namespace, irn, user.type, user.id],
    );
    return rows.map(toEntity).filter(makesOwner).map((row) => row.namespace);
  }

  private visible({ principals, shared }: Visibility): SelectQueryBuilder<Permission> {
    return this.dataSource.getRepository(Permission).createQueryBuilder('permission').where(
      `((permission.principal_type, permission.principal_id) IN (SELECT * FROM unnest(:types::text[], :ids::text[]))
        OR EXISTS (SELECT FROM unnest(:namespaces::text[], :services::text[], :resourceTypes::text[], :resourceIds::text[]) AS s (namespace, service, type, id)
                   WHERE s.namespace = permission.namespace AND s.service IN ('*', permission.service)
                     AND s.type IN ('*', permission.resource_type) AND s.id IN ('*', permission.resource_id)))`,
      {
        types: principals.map(({ type }) => type), ids: principals.map(({ id }) => id),
        namespaces: shared.map(({ namespace }) => namespace), services: shared.map(({ service }) => service),
        resourceTypes: shared.map(({ type }) => type), resourceIds: shared.map(({ id }) => id),
      },
    );
  }
}

/** Contract 0.4: "A `*` on `*:*:*` makes its holder the owner of the ns." */
export const makesOwner = ({ irn, actions }: Pick<Permission, 'irn' | 'actions'>): boolean => irn === ALL_RESOURCES && actions.includes('*');
/** When it replaces one that makes an owner. */
export const couldTakeOwner = ({ irn, actions }: Pick<PermissionDraft, 'irn' | 'actions'>): boolean => irn === ALL_RESOURCES && !actions.includes('*');

function applyFilter(query: SelectQueryBuilder<Permission>, filter: PermissionFilter): SelectQueryBuilder<Permission> {
  const anyOf = (column: string, name: string, values: readonly string[] | undefined) => {
    if (values !== undefined) query.andWhere(`permission.${column} = ANY(:${name})`, { [name]: values });
  };
  anyOf('namespace', 'wantedNamespaces', filter.namespaces);
  anyOf('principal_id', 'wantedIds', filter.principalIds);
  anyOf('principal_type', 'wantedTypes', filter.principalTypes);
  anyOf('irn', 'wantedIrns', filter.irns);
  if (filter.itemClass !== undefined) query.andWhere(`permission.criteria->>'_itemClass' = :itemClass`, { itemClass: filter.itemClass });
  if (filter.userType !== undefined) query.andWhere(`permission.criteria->>'_userType' = :userType`, { userType: filter.userType });
  if (filter.withoutCriteria === true) query.andWhere('permission.criteria IS NULL');
  if (filter.service !== undefined) query.andWhere(`(permission.service = :service OR permission.irn = '${ALL_RESOURCES}')`, { service: filter.service });
  return query;
}

interface PermissionRow {
  readonly id: string;
  readonly namespace: string;
  readonly actions: GrantableAction[];
  readonly irn: string;
  readonly criteria: ResourceCriteria | null;
  readonly subresource: SubresourceDesc | null;
  readonly principal_type: PrincipalType;
  readonly principal_id: string;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly created_by_id: string;
  readonly updated_by_id: string;
}

const toEntity = (row: PermissionRow): Permission =>
  Object.assign(new Permission(), {
    id: row.id, namespace: row.namespace, actions: row.actions, irn: row.irn, criteria: row.criteria, subresource: row.subresource,
    principalType: row.principal_type, principalId: row.principal_id, createdAt: row.created_at, updatedAt: row.updated_at,
    createdById: row.created_by_id, updatedById: row.updated_by_id,
  });
