import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { ApiConflictResponse, ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { Allow, Ctx, keepingBody, keepingNoContent, type RequestContext } from '@twinyard/auth';
import { booleanParameter, parsePaging, textParameter, toPage } from '@twinyard/conventions';
import { ApiRecordFilters } from '../namespaces/list-parameters';
import { parseRecordFilter } from '../namespaces/record-filter';
import { AppDto, AppPageDto, CreateAppDto, toAppChanges, toAppDraft, toAppRecord, toAppRecordWithConfigs, UpdateAppDto } from './app.dto';
import { AppsService } from './apps.service';

const TYPE = 'passportsvc:app';
const anywhere = { nsfilter: 'ignored' } as const;

@ApiTags('applications')
@Controller('passportsvc/api/v1/apps')
export class AppsController {
  constructor(private readonly apps: AppsService) {}

  @Post()
  @Allow('CREATE', TYPE, anywhere)
  @ApiOperation({ operationId: 'createApp', summary: 'Makes an application in an organization' })
  @ApiCreatedResponse({ type: AppDto })
  async create(@Ctx() ctx: RequestContext, @Body() body: CreateAppDto) {
    return keepingBody(ctx, 201, toAppRecord, (keep) => this.apps.create(ctx, toAppDraft(body), keep));
  }

  @Get()
  @Allow('READ', TYPE, anywhere)
  @ApiOperation({ operationId: 'listApps', summary: 'Lists the applications that the caller may read' })
  @ApiRecordFilters()
  @ApiQuery({ name: '_orgId', required: false })
  @ApiOkResponse({ type: AppPageDto })
  async list(@Ctx() ctx: RequestContext, @Query() query: Record<string, unknown>) {
    const orgId = textParameter(query, '_orgId');
    const paging = parsePaging(query);
    return toPage(await this.apps.list(ctx, { ...parseRecordFilter(query), ...(orgId !== undefined && { orgId }) }, paging), paging, toAppRecord);
  }

  @Get(':id')
  @Allow('READ', TYPE, anywhere)
  @ApiOperation({ operationId: 'getApp', summary: 'One application' })
  @ApiQuery({ name: 'withConfigs', required: false, type: Boolean, description: 'Adds `_configs`, its limits' })
  @ApiOkResponse({ type: AppDto })
  async get(@Ctx() ctx: RequestContext, @Param('id') id: string, @Query() query: Record<string, unknown>) {
    const app = await this.apps.get(ctx, id);
    return booleanParameter(query, 'withConfigs') ? toAppRecordWithConfigs(app) : toAppRecord(app);
  }

  @Put(':id')
  @Allow('EDIT', TYPE, anywhere)
  @ApiOperation({ operationId: 'updateApp', summary: 'Changes an application; owner, organization and namespace stay' })
  @ApiOkResponse({ type: AppDto })
  async update(@Ctx() ctx: RequestContext, @Param('id') id: string, @Body() body: UpdateAppDto) {
    return keepingBody(ctx, 200, toAppRecord, (keep) => this.apps.update(ctx, id, toAppChanges(body), keep));
  }

  @Delete(':id')
  @HttpCode(204)
  @Allow('DELETE', TYPE, anywhere)
  @ApiOperation({ operationId: 'deleteApp', summary: 'Deletes an application and its user groups' })
  @ApiNoContentResponse()
  @ApiConflictResponse({ description: 'It still has workspaces' })
  async remove(@Ctx() ctx: RequestContext, @Param('id') id: string): Promise<void> {
    await keepingNoContent(ctx, (keep) => this.apps.remove(ctx, id, keep));
  }
}
