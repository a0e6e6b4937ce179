import { Injectable } from '@nestjs/common';
import type { SqlTx, TypeOrmTx } from '@twinyard/service-kit';
import { DataSource } from 'typeorm';
import { UserGroupEntity } from '../usergroups/usergroup.entity';
import { UserEntity } from '../users/user.entity';

/** Who somebody is at an identity provider: the account that its subject signs in to. */
export interface UserIdentity {
  readonly providerId: string;
  readonly subject: string;
  readonly userId: string;
  /** Whether the owner of the account's address stands behind it, as against somebody who only claimed that address. */
  readonly agreed: boolean;
}

export interface Connection extends UserIdentity {
  readonly providerName: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date;
}

const COLUMNS = `provider_id AS "providerId", subject, user_id AS "userId", agreed`;

@Injectable()
export class UserIdentitiesRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Nobody else decides about this subject, or about an account of this address, until the transaction ends. */
  async lock(tx: SqlTx, { providerId, subject, email }: { readonly providerId: string; readonly subject: string; readonly email: string | undefined }): Promise<void> {
    const names = [`identity ${providerId} ${subject}`, ...(email === undefined ? [] : [`address ${email}`])].sort();
    for (const name of names) await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 620))', [name]);
  }

  /** The row of a provider that goes at this moment is waited for. */
  async find(tx: SqlTx, providerId: string, subject: string): Promise<UserIdentity | undefined> {
    const [identity] = await tx.query<UserIdentity>(`SELECT ${COLUMNS} FROM user_identity WHERE provider_id = $1 AND subject = $2 FOR NO KEY UPDATE`, [providerId, subject]);
    return identity;
  }

  /** As it is until the transaction ends. */
  async holdAccount(tx: TypeOrmTx, by: { readonly id: string } | { readonly email: string }): Promise<UserEntity | undefined> {
    return (await tx.manager.findOne(UserEntity, { where: by, lock: { mode: 'for_no_key_update' } })) ?? undefined;
  }

  async findGroup(tx: TypeOrmTx, id: string): Promise<UserGroupEntity | undefined> {
    return (await tx.manager.findOneBy(UserGroupEntity, { id })) ?? undefined;
  }

  /** Connects, or connects anew: a subject has one account. */
  async upsert(tx: SqlTx, { providerId, subject, userId, agreed }: UserIdentity): Promise<void> {
    await tx.query(
      `INSERT INTO user_identity (provider_id, subject, user_id, agreed, created_at, last_used_at) VALUES ($1, $2, $3, $4, now(), now())
       ON CONFLICT (provider_id, subject) DO UPDATE SET user_id = excluded.user_id, agreed = excluded.agreed, last_used_at = now()`,
      [providerId, subject, userId, agreed],
    );
  }

  async touch(tx: SqlTx, { providerId, subject }: UserIdentity): Promise<void> {
    await tx.query('UPDATE user_identity SET last_used_at = now() WHERE provider_id = $1 AND subject = $2', [providerId, subject]);
  }

  async listOf(userId: string): Promise<Connection[]> {
    return this.dataSource.query<Connection[]>(
      `SELECT ${COLUMNS}, p.name AS "providerName", i.created_at AS "createdAt", i.last_used_at AS "lastUsedAt"
       FROM user_identity i JOIN identity_provider p ON p.id = i.provider_id WHERE user_id = $1 ORDER BY i.created_at, provider_id, subject`,
      [userId],
    );
  }

  /** False when there is no such connection, or when the account could not be signed in to without it. */
  async removeUnlessLast(tx: SqlTx, userId: string, providerId: string, subject: string): Promise<boolean> {
    const [account] = await tx.query<{ has_password: boolean }>('SELECT password_hash IS NOT NULL AS has_password FROM app_user WHERE id = $1 FOR NO KEY UPDATE', [userId]);
    const rows = await tx.query(
      `DELETE FROM user_identity WHERE user_id = $1 AND provider_id = $2 AND subject = $3
       AND ($4 OR (SELECT count(*) FROM user_identity WHERE user_id = $1) > 1) RETURNING subject`,
      [userId, providerId, subject, account?.has_password === true],
    );
    return rows.length === 1;
  }

  /** What somebody has connected who never proved the address: it goes when the address's owner comes. */
  async removeNotAgreed(tx: SqlTx, userId: string): Promise<void> {
    await tx.query('DELETE FROM user_identity WHERE user_id = $1 AND NOT agreed', [userId]);
  }

  /** Answers whom they belonged to. */
  async removeAllOf(tx: SqlTx, providerId: string): Promise<string[]> {
    const rows = await tx.query<{ user_id: string }>('DELETE FROM user_identity WHERE provider_id = $1 RETURNING user_id', [providerId]);
    return [...new Set(rows.map(({ user_id: userId }) => userId))];
  }

  /** The access keys of an account that changes hands; answers their ids. */
  async removeAccessKeys(tx: SqlTx, userId: string): Promise<string[]> {
    return (await tx.query<{ id: string }>('DELETE FROM access_key WHERE user_id = $1 RETURNING id', [userId])).map(({ id }) => id);
  }

  /** From now on its organization may remove it. */
  async releaseGroup(tx: SqlTx, groupId: string): Promise<void> {
    await tx.query('UPDATE usergroup SET is_default = false WHERE id = $1', [groupId]);
  }
}
