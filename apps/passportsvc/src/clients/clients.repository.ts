import { Injectable } from '@nestjs/common';
import type { Paging, Slice } from '@twinyard/conventions';
import { answerBytesOf, lightSlice, type TypeOrmTx } from '@twinyard/service-kit';
import { DataSource } from 'typeorm';
import { ClientEntity } from './client.entity';

@Injectable()
export class ClientsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Asked with each token request: plain SQL, since the query builder takes longer to write this than the database to answer it. */
  async findById(id: string): Promise<ClientEntity | undefined> {
    const [row] = await this.dataSource.query<ClientEntity[]>(
      `SELECT id, name, org_id AS "orgId", scopes, trusted, secret_hash AS "secretHash", created_at AS "createdAt", updated_at AS "updatedAt",
              created_by_id AS "createdById", updated_by_id AS "updatedById"
       FROM oauth_client WHERE id = $1`,
      [id],
    );
    return row;
  }

  async list({ offset, pageSize }: Paging): Promise<Slice<ClientEntity>> {
    const [rows, total] = await this.clients.findAndCount({ order: { createdAt: 'ASC', id: 'ASC' }, skip: offset, take: pageSize });
    return lightSlice({ rows: pageSize === 0 ? [] : rows, total }, answerBytesOf(this.dataSource));
  }

  async insertIfMissing(tx: TypeOrmTx, client: ClientEntity): Promise<void> {
    await tx.manager.createQueryBuilder().insert().into(ClientEntity).values(client).orIgnore().execute();
  }

  async insert(tx: TypeOrmTx, client: ClientEntity): Promise<void> {
    await tx.manager.insert(ClientEntity, client);
  }

  async update(tx: TypeOrmTx, id: string, changes: Partial<Omit<ClientEntity, 'id'>>): Promise<boolean> {
    const { affected } = await tx.manager.update(ClientEntity, { id }, changes);
    return affected === 1;
  }

  async delete(tx: TypeOrmTx, id: string): Promise<void> {
    await tx.manager.delete(ClientEntity, { id });
  }

  private get clients() {
    return this.dataSource.getRepository(ClientEntity);
  }
}
