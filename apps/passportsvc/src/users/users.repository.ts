import { Injectable } from '@nestjs/common';
import { conflict, isUuid } from '@twinyard/conventions';
import { isUniqueViolation, type TypeOrmTx } from '@twinyard/service-kit';
import { DataSource, In } from 'typeorm';
import { UserEntity } from './user.entity';

export const toEmail = (text: string): string => text.trim().toLowerCase();

@Injectable()
export class UsersRepository {
  constructor(private readonly dataSource: DataSource) {}

  async findByEmail(email: string): Promise<UserEntity | undefined> {
    return (await this.users.findOneBy({ email: toEmail(email) })) ?? undefined;
  }

  async findById(id: string): Promise<UserEntity | undefined> {
    return isUuid(id) ? ((await this.users.findOneBy({ id })) ?? undefined) : undefined;
  }

  async findByIds(ids: readonly string[]): Promise<UserEntity[]> {
    const known = ids.filter(isUuid);
    return known.length === 0 ? [] : this.users.findBy({ id: In(known) });
  }

  /** @throws ServiceError `conflict` when somebody has the address already. */
  async insert(tx: TypeOrmTx, user: UserEntity): Promise<void> {
    try {
      await tx.manager.insert(UserEntity, user);
    } catch (error) {
      throw isUniqueViolation(error) ? conflict('There is an account with this e-mail address already') : error;
    }
  }

  /** For what several replicas may make at once. */
  async insertIfMissing(tx: TypeOrmTx, user: UserEntity): Promise<void> {
    await tx.manager.createQueryBuilder().insert().into(UserEntity).values(user).orIgnore().execute();
  }

  async update(tx: TypeOrmTx, id: string, changes: Partial<Omit<UserEntity, 'id'>>): Promise<void> {
    await tx.manager.update(UserEntity, { id }, changes);
  }

  /** Leaves a password alone that was changed meanwhile. */
  async renewPasswordHash(tx: TypeOrmTx, id: string, { from, to }: { readonly from: string; readonly to: string }): Promise<void> {
    await tx.manager.update(UserEntity, { id, passwordHash: from }, { passwordHash: to });
  }

  private get users() {
    return this.dataSource.getRepository(UserEntity);
  }
}
