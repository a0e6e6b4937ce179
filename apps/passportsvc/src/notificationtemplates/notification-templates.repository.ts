import { Injectable } from '@nestjs/common';
import { conflict, isUuid, type Paging, type Slice } from '@twinyard/conventions';
import { isUniqueViolation, sliceOf, type TypeOrmTx } from '@twinyard/service-kit';
import { DataSource } from 'typeorm';
import { NotificationTemplateEntity, type TemplateName } from './notification-template.entity';

@Injectable()
export class NotificationTemplatesRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Of an application that the caller was found to manage. */
  list(appId: string, names: readonly string[] | undefined, paging: Paging): Promise<Slice<NotificationTemplateEntity>> {
    const query = this.templates.createQueryBuilder('template').where('template.app_id = :appId', { appId });
    if (names !== undefined) query.andWhere('template.name = ANY(:names)', { names });
    return sliceOf(query, paging, ['position']);
  }

  async find(id: string): Promise<NotificationTemplateEntity | undefined> {
    return isUuid(id) ? ((await this.templates.findOneBy({ id })) ?? undefined) : undefined;
  }

  /** That of the locale, else of its language (`de` for `de-AT`), else `en`. */
  async findFor(tx: TypeOrmTx, appId: string, name: TemplateName, locale: string): Promise<NotificationTemplateEntity | undefined> {
    const wanted = locale.toLowerCase();
    const candidates = [...new Set([wanted, wanted.split('-')[0] as string, 'en'])];
    const found = await tx.manager.findBy(NotificationTemplateEntity, { appId, name });
    return candidates.flatMap((candidate) => found.filter((template) => template.locale === candidate))[0];
  }

  async insert(tx: TypeOrmTx, templates: readonly NotificationTemplateEntity[]): Promise<void> {
    await translated(tx.manager.insert(NotificationTemplateEntity, [...templates]));
  }

  /** False when it has been deleted meanwhile. */
  async update(tx: TypeOrmTx, { id, ...changes }: NotificationTemplateEntity): Promise<boolean> {
    return (await translated(tx.manager.update(NotificationTemplateEntity, { id }, changes))).affected === 1;
  }

  async remove(tx: TypeOrmTx, id: string): Promise<boolean> {
    return (await tx.manager.delete(NotificationTemplateEntity, { id })).affected === 1;
  }

  private get templates() {
    return this.dataSource.getRepository(NotificationTemplateEntity);
  }
}

async function translated<T>(written: Promise<T>): Promise<T> {
  try {
    return await written;
  } catch (error) {
    throw isUniqueViolation(error) ? conflict('The application has a template of this name and locale already') : error;
  }
}
