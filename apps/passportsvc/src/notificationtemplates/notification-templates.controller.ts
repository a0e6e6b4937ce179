import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { Allow, Ctx, keepingBody, keepingNoContent, type RequestContext } from '@twinyard/auth';
import { parsePaging, repeatedParameter, textParameter, toPage, toWholePage } from '@twinyard/conventions';
import { parseArrayBody } from '../namespaces/array-body';
import { ApiPaging } from '../namespaces/list-parameters';
import {
  CreateNotificationTemplateDto, NotificationTemplateDto, NotificationTemplatePageDto, toTemplateChanges, toTemplateDraft, toTemplateRecord,
  UpdateNotificationTemplateDto,
} from './notification-template.dto';
import type { NotificationTemplateEntity } from './notification-template.entity';
import { NotificationTemplatesService } from './notification-templates.service';

const anywhere = { nsfilter: 'ignored' } as const;
const ApiApplication = () => ApiQuery({ name: '_appId', required: false, description: 'Another application than that of the token' });

@ApiTags('notification templates')
@Controller('passportsvc/api/v1/notification_templates')
export class NotificationTemplatesController {
  constructor(private readonly templates: NotificationTemplatesService) {}

  @Post()
  @Allow('EDIT', 'passportsvc:app', anywhere)
  @ApiOperation({ operationId: 'createNotificationTemplates', summary: 'Adds templates to the application, for other locales than those there are' })
  @ApiApplication()
  @ApiBody({ type: CreateNotificationTemplateDto, isArray: true })
  @ApiCreatedResponse({ type: NotificationTemplatePageDto })
  async create(@Ctx() ctx: RequestContext, @Body() body: unknown, @Query() query: Record<string, unknown>) {
    const drafts = parseArrayBody(body, CreateNotificationTemplateDto).map(toTemplateDraft);
    return keepingBody(ctx, 201, (made: NotificationTemplateEntity[]) => toWholePage(made.map(toTemplateRecord)), (keep) => this.templates.create(ctx, textParameter(query, '_appId'), drafts, keep));
  }

  @Get()
  @Allow('EDIT', 'passportsvc:app', anywhere)
  @ApiOperation({ operationId: 'listNotificationTemplates', summary: 'Lists the templates of the application' })
  @ApiApplication()
  @ApiQuery({ name: '_name', required: false, isArray: true, type: String })
  @ApiPaging()
  @ApiOkResponse({ type: NotificationTemplatePageDto })
  async list(@Ctx() ctx: RequestContext, @Query() query: Record<string, unknown>) {
    const paging = parsePaging(query);
    return toPage(await this.templates.list(ctx, textParameter(query, '_appId'), repeatedParameter(query, '_name'), paging), paging, toTemplateRecord);
  }

  @Get(':id')
  @Allow('EDIT', 'passportsvc:app', anywhere)
  @ApiOperation({ operationId: 'getNotificationTemplate', summary: 'One template' })
  @ApiOkResponse({ type: NotificationTemplateDto })
  async get(@Ctx() ctx: RequestContext, @Param('id') id: string) {
    return toTemplateRecord(await this.templates.get(ctx, id));
  }

  @Put(':id')
  @Allow('EDIT', 'passportsvc:app', anywhere)
  @ApiOperation({ operationId: 'updateNotificationTemplate', summary: 'Changes a template' })
  @ApiOkResponse({ type: NotificationTemplateDto })
  async update(@Ctx() ctx: RequestContext, @Param('id') id: string, @Body() body: UpdateNotificationTemplateDto) {
    return keepingBody(ctx, 200, toTemplateRecord, (keep) => this.templates.update(ctx, id, toTemplateChanges(body), keep));
  }

  @Delete(':id')
  @HttpCode(204)
  @Allow('EDIT', 'passportsvc:app', anywhere)
  @ApiOperation({ operationId: 'deleteNotificationTemplate', summary: 'Deletes a template; mails then follow that of another locale, or the one that the platform ships' })
  @ApiNoContentResponse()
  async remove(@Ctx() ctx: RequestContext, @Param('id') id: string): Promise<void> {
    await keepingNoContent(ctx, (keep) => this.templates.remove(ctx, id, keep));
  }
}
