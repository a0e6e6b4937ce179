import { Injectable } from '@nestjs/common';
import { isUuid, type Paging, type Slice } from '@twinyard/conventions';
import { answerBytesOf, joinWithin, packedBytes, sliceOf, type TypeOrmTx } from '@twinyard/service-kit';
import { DataSource, type EntityManager, type SelectQueryBuilder } from 'typeorm';
import { UserGroupEntity } from '../usergroups/usergroup.entity';
import type { InviteView } from './invite.dto';
import { InviteEntity, type InviteStatus } from './invite.entity';

const BATCH = 100;

@Injectable()
export class InvitesRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Of a group that the caller was found to read. */
  async listOfGroup(groupId: string, statuses: readonly string[] | undefined, paging: Paging): Promise<Slice<InviteView>> {
    return this.joinSlice(await sliceOf(ofStatus(this.query().where('invite.group_id = :groupId', { groupId }), statuses), paging, ['position']));
  }

  /** To this address, and of these groups. */
  async listFor(email: string | undefined, groupIds: readonly string[], statuses: readonly string[] | undefined, paging: Paging): Promise<Slice<InviteView>> {
    const query = this.query().where('(invite.email = :email OR invite.group_id = ANY(:groupIds))', { email: email ?? null, groupIds });
    return this.joinSlice(await sliceOf(ofStatus(query, statuses), paging, ['position']));
  }

  /** So many invites to the group, each with all of it, go into one answer; one always does. */
  mostInAnswer(group: UserGroupEntity): number {
    return Math.max(1, Math.floor(answerBytesOf(this.dataSource) / Buffer.byteLength(JSON.stringify(group))));
  }

  async find(id: string): Promise<InviteEntity | undefined> {
    return isUuid(id) ? ((await this.query().where('invite.id = :id', { id }).getOne()) ?? undefined) : undefined;
  }

  /** Two that invite to one group do so one after the other: the second sees what the first has sent. */
  async takeTurn(tx: TypeOrmTx, groupId: string): Promise<void> {
    await tx.query('SELECT FROM usergroup WHERE id = $1 FOR NO KEY UPDATE', [groupId]);
  }

  /** In one's turn; whoever would answer one of them waits. */
  findPending(tx: TypeOrmTx, groupId: string, emails: readonly string[]): Promise<InviteEntity[]> {
    return tx.manager.createQueryBuilder(InviteEntity, 'invite')
      .where(`invite.group_id = :groupId AND invite.email = ANY(:emails) AND invite.status = 'PENDING'`, { groupId, emails }).setLock('pessimistic_write').getMany();
  }

  async renew(tx: TypeOrmTx, { id, params, appId, expiresAt, remindAt, updatedAt, updatedById }: InviteEntity): Promise<void> {
    await tx.manager.update(InviteEntity, { id }, { params: params as object, appId, expiresAt, remindAt, updatedAt, updatedById });
  }

  /** Marks those of these addresses whose time is over. */
  expireOf(tx: TypeOrmTx, groupId: string, emails: readonly string[]): Promise<InviteEntity[]> {
    return this.marked(tx, `UPDATE invite SET status = 'EXPIRED', remind_at = NULL, updated_at = now()
      WHERE group_id = $1 AND email = ANY($2) AND status = 'PENDING' AND expires_at <= now() RETURNING id`, [groupId, emails]);
  }

  async insert(tx: TypeOrmTx, invites: readonly InviteEntity[]): Promise<void> {
    await tx.manager.insert(InviteEntity, invites.map((invite) => ({ ...invite, params: invite.params as object })));
  }

  /** False when it is PENDING no more, or its time is over. */
  async end(tx: TypeOrmTx, id: string, status: InviteStatus, endedById: string): Promise<boolean> {
    const rows = await tx.query(
      `UPDATE invite SET status = $2, remind_at = NULL, updated_at = now(), updated_by_id = $3 WHERE id = $1 AND status = 'PENDING' AND expires_at > now() RETURNING id`,
      [id, status, endedById],
    );
    return rows.length === 1;
  }

  /** Marks those whose time is over, at most a batch. */
  expire(tx: TypeOrmTx): Promise<InviteEntity[]> {
    return this.marked(tx, `UPDATE invite SET status = 'EXPIRED', remind_at = NULL, updated_at = now()
      WHERE id IN (SELECT id FROM invite WHERE status = 'PENDING' AND expires_at <= now() LIMIT ${BATCH} FOR UPDATE SKIP LOCKED) RETURNING id`);
  }

  /** Those to be reminded of now, at most a batch; each once. */
  takeReminders(tx: TypeOrmTx): Promise<InviteEntity[]> {
    return this.marked(tx, `UPDATE invite SET remind_at = NULL
      WHERE id IN (SELECT id FROM invite WHERE status = 'PENDING' AND remind_at <= now() AND expires_at > now() LIMIT ${BATCH} FOR UPDATE SKIP LOCKED) RETURNING id`);
  }

  /** With their groups, and whether somebody has an account with the address. */
  async join(invites: readonly InviteEntity[], manager: EntityManager = this.dataSource.manager): Promise<InviteView[]> {
    if (invites.length === 0) return [];
    const groups = await manager.createQueryBuilder(UserGroupEntity, 'g').where('g.id = ANY(:ids)', { ids: invites.map(({ groupId }) => groupId) }).getMany();
    const users = await manager.query<{ email: string }[]>('SELECT email FROM app_user WHERE email = ANY($1)', [invites.map(({ email }) => email)]);
    const known = new Set(users.map(({ email }) => email));
    return invites.flatMap((invite) => groups.filter(({ id }) => id === invite.groupId).map((group) => ({ invite, group, userExists: known.has(invite.email) })));
  }

  /** As far as an answer goes: each invite has its group with all attributes. */
  private async joinSlice(slice: Slice<InviteEntity>): Promise<Slice<InviteView>> {
    const packed = await this.packedGroups(slice.rows.map(({ groupId }) => groupId));
    return joinWithin(slice, answerBytesOf(this.dataSource), ({ groupId }) => packed.get(groupId), (some) => this.join(some));
  }

  private async packedGroups(ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const rows = await this.dataSource.query<{ id: string; packed: string }[]>(`SELECT id, ${packedBytes(['user_attributes'])} AS packed FROM usergroup WHERE id = ANY($1::uuid[])`, [ids]);
    return new Map(rows.map((row) => [row.id, Number(row.packed)]));
  }

  private async marked(tx: TypeOrmTx, sql: string, parameters: readonly unknown[] = []): Promise<InviteEntity[]> {
    return this.findIn(tx, (await tx.query<{ id: string }>(sql, parameters)).map(({ id }) => id));
  }

  /** As they are in this transaction. */
  async findIn(tx: TypeOrmTx, ids: readonly string[]): Promise<InviteEntity[]> {
    return ids.length === 0 ? [] : tx.manager.createQueryBuilder(InviteEntity, 'invite').where('invite.id = ANY(:ids)', { ids }).getMany();
  }

  private query(): SelectQueryBuilder<InviteEntity> {
    return this.dataSource.getRepository(InviteEntity).createQueryBuilder('invite');
  }
}

/** An invite whose time is over counts as EXPIRED, also before it is marked. */
function ofStatus(query: SelectQueryBuilder<InviteEntity>, statuses: readonly string[] | undefined): SelectQueryBuilder<InviteEntity> {
  if (statuses === undefined) return query;
  return query.andWhere(`(CASE WHEN invite.status = 'PENDING' AND invite.expires_at <= now() THEN 'EXPIRED' ELSE invite.status END) = ANY(:statuses)`, { statuses });
}
