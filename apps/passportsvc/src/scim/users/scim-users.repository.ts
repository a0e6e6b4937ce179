import { Injectable } from '@nestjs/common';
import { isUuid, type Slice } from '@twinyard/conventions';
import { answerBytesOf, isUniqueViolation, packedBytes, readWithin, type TypeOrmTx, type WeighedKey } from '@twinyard/service-kit';
import { DataSource, In } from 'typeorm';
import { UserGroupEntity } from '../../usergroups/usergroup.entity';
import { UserEntity } from '../../users/user.entity';
import type { UserFilter } from '../filter/filter';
import { sortExpression, SqlParameters, toSql } from '../filter/filter-sql';
import { notUnique } from '../protocol/scim-error';
import type { JsonObject } from '../schema/attribute-values';
import type { AttributeTarget } from '../schema/user-schema';
import type { ScimUser } from './scim-user';

/** Whose users a client sees. */
export interface Provider {
  /** `null`: every user. */
  readonly orgId: string | null;
}

export interface UserListing {
  readonly filter?: UserFilter;
  readonly sortBy?: AttributeTarget;
  readonly descending: boolean;
  readonly offset: number;
  readonly limit: number;
}

type Key = WeighedKey & { readonly id: string };
type Row = UserEntity & { readonly orgId: string | null; readonly document: JsonObject | null };

const COLUMNS = `u.id, u.email, u.user_name AS "userName", u.password_hash AS "passwordHash", u.firstname, u.lastname, u.locale, u.disabled,
  u.platform_manager AS "platformManager", u.email_verified AS "emailVerified", u.created_at AS "createdAt", u.updated_at AS "updatedAt",
  u.created_by_id AS "createdById", u.updated_by_id AS "updatedById", s.org_id AS "orgId", s.document`;
const FROM = 'FROM app_user u LEFT JOIN scim_user s ON s.user_id = u.id';

@Injectable()
export class ScimUsersRepository {
  constructor(private readonly dataSource: DataSource) {}

  async list(provider: Provider, { filter, sortBy, descending, offset, limit }: UserListing): Promise<Slice<ScimUser>> {
    const parameters = new SqlParameters();
    const where = `WHERE ${visible(provider, parameters)}${filter === undefined ? '' : ` AND ${toSql(filter, parameters)}`}`;
    const [count] = await this.dataSource.query<{ total: string }[]>(`SELECT count(*) AS total ${FROM} ${where}`, parameters.values);
    const total = Number(count?.total);
    if (limit === 0 || offset >= total) return { rows: [], total };
    // RFC 7644 section 3.4.2.3: what is not there comes last, or first when the order is descending.
    const order = sortBy === undefined ? '' : `${sortExpression(sortBy)} ${descending ? 'DESC NULLS FIRST' : 'ASC NULLS LAST'}, `;
    const page = `OFFSET ${parameters.add(offset)} LIMIT ${parameters.add(limit)}`;
    const keys = await this.dataSource.query<Key[]>(`SELECT u.id, ${packedBytes(['s.document'])} AS packed ${FROM} ${where} ORDER BY ${order}u.created_at, u.id ${page}`, parameters.values);
    const read = async (some: readonly Key[]) => {
      const inOrder = `SELECT ${COLUMNS} ${FROM} WHERE u.id = ANY($1::uuid[]) ORDER BY array_position($1::uuid[], u.id)`;
      return (await this.dataSource.query<Row[]>(inOrder, [some.map(({ id }) => id)])).map(toScimUser);
    };
    return { ...(await readWithin(keys, answerBytesOf(this.dataSource), read)), total };
  }

  async find(provider: Provider, id: string): Promise<ScimUser | undefined> {
    const { sql, values } = byId(provider, id);
    return sql === undefined ? undefined : first(await this.dataSource.query<Row[]>(sql, values));
  }

  /**
   * Two changes of one user are made one after the other. What is read is read by a statement of its own: one that had waited for
   * the lock would see the account as it is, and the document as it was before the wait.
   */
  async hold(tx: TypeOrmTx, provider: Provider, id: string): Promise<ScimUser | undefined> {
    const { sql, values } = byId(provider, id);
    if (sql === undefined) return undefined;
    await tx.query('SELECT id FROM app_user WHERE id = $1 FOR UPDATE', [id]);
    return first(await tx.query<Row>(sql, values));
  }

  /** @throws ScimError `uniqueness` when somebody has the user name or the address already. */
  async insert(tx: TypeOrmTx, { account, orgId, document }: ScimUser): Promise<void> {
    await unique(tx.manager.insert(UserEntity, account));
    await tx.query('INSERT INTO scim_user (user_id, org_id, document) VALUES ($1, $2, $3)', [account.id, orgId, JSON.stringify(document)]);
  }

  /** @throws ScimError `uniqueness` */
  async update(tx: TypeOrmTx, { account: { id, ...account }, orgId, document }: ScimUser): Promise<void> {
    const { passwordHash: _passwordHash, platformManager: _platformManager, ...changes } = account;
    // A link that was mailed to the address before must set no password any more.
    await tx.query('DELETE FROM password_reset r USING app_user u WHERE r.user_id = $1 AND u.id = r.user_id AND u.email <> $2', [id, changes.email]);
    await unique(tx.manager.update(UserEntity, { id }, changes));
    await tx.query(
      `INSERT INTO scim_user (user_id, org_id, document) VALUES ($1, $2, $3) ON CONFLICT (user_id) DO UPDATE SET document = excluded.document`,
      [id, orgId, JSON.stringify(document)],
    );
  }

  async ownsSomething(tx: TypeOrmTx, userId: string): Promise<boolean> {
    const [row] = await tx.query<{ owns: boolean }>(
      'SELECT EXISTS (SELECT FROM organization WHERE owner_id = $1) OR EXISTS (SELECT FROM app WHERE owner_id = $1) AS owns', [userId],
    );
    return row?.owns === true;
  }

  async listGroupsOf(tx: TypeOrmTx, userId: string): Promise<UserGroupEntity[]> {
    const rows = await tx.query<{ group_id: string }>('SELECT group_id FROM usergroup_member WHERE user_id = $1', [userId]);
    return rows.length === 0 ? [] : tx.manager.find(UserGroupEntity, { where: { id: In(rows.map((row) => row.group_id)) }, order: { id: 'ASC' } });
  }

  async remove(tx: TypeOrmTx, id: string): Promise<void> {
    await tx.manager.delete(UserEntity, { id });
  }
}

/** Platform managers are no organization's, whoever made their accounts. */
function visible({ orgId }: Provider, parameters: SqlParameters): string {
  return orgId === null ? 'true' : `s.org_id = ${parameters.add(orgId)} AND NOT u.platform_manager`;
}

function byId(provider: Provider, id: string): { readonly sql?: string; readonly values: unknown[] } {
  if (!isUuid(id)) return { values: [] };
  const parameters = new SqlParameters();
  return { sql: `SELECT ${COLUMNS} ${FROM} WHERE ${visible(provider, parameters)} AND u.id = ${parameters.add(id)}`, values: parameters.values };
}

const first = ([row]: readonly Row[]): ScimUser | undefined => row && toScimUser(row);

const toScimUser = ({ orgId, document, ...account }: Row): ScimUser => ({ account, orgId, document });

async function unique<T>(write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    throw isUniqueViolation(error) ? notUnique() : error;
  }
}
