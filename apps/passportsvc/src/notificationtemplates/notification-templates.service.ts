import { Injectable } from '@nestjs/common';
import type { KeepAnswer, RequestContext } from '@twinyard/auth';
import { authoredBy, forbidden, newUuid, notFound, type Paging, ServiceError, type Slice } from '@twinyard/conventions';
import { TypeOrmUnitOfWork } from '@twinyard/service-kit';
import type { AppEntity } from '../apps/app.entity';
import { AppsService } from '../apps/apps.service';
import type { TemplateDraft } from './notification-template.dto';
import type { NotificationTemplateEntity } from './notification-template.entity';
import { NotificationTemplatesRepository } from './notification-templates.repository';

/** Templates are their application's: whoever may EDIT it reads and writes them (contract 0.4). */
@Injectable()
export class NotificationTemplatesService {
  constructor(
    private readonly templates: NotificationTemplatesRepository,
    private readonly apps: AppsService,
    private readonly unitOfWork: TypeOrmUnitOfWork,
  ) {}

  /** In the application of the token, or in another that is named. */
  async create(ctx: RequestContext, appId: string | undefined, drafts: readonly TemplateDraft[], keep?: KeepAnswer<NotificationTemplateEntity[]>): Promise<NotificationTemplateEntity[]> {
    const id = await this.appOf(ctx, appId);
    const made = drafts.map((draft) => ({ ...draft, id: newUuid(), appId: id, ...authoredBy(ctx.callerId) }));
    if (made.length === 0) return made;
    await this.unitOfWork.run(async (tx) => {
      await this.templates.insert(tx, made);
      await keep?.(tx, made);
    });
    return made;
  }

  async list(ctx: RequestContext, appId: string | undefined, names: readonly string[] | undefined, paging: Paging): Promise<Slice<NotificationTemplateEntity>> {
    return this.templates.list(await this.appOf(ctx, appId), names, paging);
  }

  async get(ctx: RequestContext, id: string): Promise<NotificationTemplateEntity> {
    const template = await this.templates.find(id);
    if (template === undefined) throw notFound('notification template', id);
    await this.editable(ctx, template.appId, notFound('notification template', id));
    return template;
  }

  async update(ctx: RequestContext, id: string, changes: Partial<TemplateDraft>, keep?: KeepAnswer<NotificationTemplateEntity>): Promise<NotificationTemplateEntity> {
    const template = { ...(await this.get(ctx, id)), ...changes, updatedAt: new Date(), updatedById: ctx.callerId };
    await this.unitOfWork.run(async (tx) => {
      if (!(await this.templates.update(tx, template))) throw notFound('notification template', id);
      await keep?.(tx, template);
    });
    return template;
  }

  async remove(ctx: RequestContext, id: string, keep?: KeepAnswer<void>): Promise<void> {
    await this.get(ctx, id);
    await this.unitOfWork.run(async (tx) => {
      if (!(await this.templates.remove(tx, id))) throw notFound('notification template', id);
      await keep?.(tx);
    });
  }

  private async appOf(ctx: RequestContext, named: string | undefined): Promise<string> {
    const appId = named ?? ctx.principal.appId;
    if (appId === undefined) throw forbidden('The token belongs to no application: name one as `appId`');
    return (await this.editable(ctx, appId, ctx.access.denial(['EDIT'], { type: 'passportsvc:app', id: '*', namespaces: [] }))).id;
  }

  /** `hidden`: the answer to somebody who may not even READ the application. */
  private editable(ctx: RequestContext, appId: string, hidden: ServiceError): Promise<AppEntity> {
    return this.apps.getFor(ctx, 'EDIT', appId).catch((error: unknown) => {
      throw error instanceof ServiceError && error.code === 'not_found' ? hidden : error;
    });
  }
}
