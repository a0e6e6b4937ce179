import { Injectable } from '@nestjs/common';
import { conflict, foldCase, isUuid, mailboxOf } from '@twinyard/conventions';
import { isUniqueViolation, type TypeOrmTx } from '@twinyard/service-kit';
import { DataSource, In } from 'typeorm';
import { UserEntity } from './user.entity';

/** The form in which addresses are kept and compared. What is none is nobody's, and is only counted. */
export const toEmail = (text: string): string => mailboxOf(text) ?? foldCase(text.trim());

@Injectable()
export class UsersRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Where two accounts from before share a mailbox, the one whose address is written as `email` is. */
  async findByEmail(email: string): Promise<UserEntity | undefined> {
    const [address, asWritten] = [toEmail(email), email.trim().toLowerCase()];
    const found = await this.users.findBy({ email: In([...new Set([address, asWritten])]) });
    return found.find((user) => user.email === asWritten) ?? found[0];
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
