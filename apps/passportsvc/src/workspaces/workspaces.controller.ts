import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { Allow, Ctx, keepingBody, keepingNoContent, type RequestContext } from '@twinyard/auth';
import { booleanParameter, parsePaging, toPage, toWholePage } from '@twinyard/conventions';
import { parseArrayBody } from '../namespaces/array-body';
import { ApiRecordFilters } from '../namespaces/list-parameters';
import { parseRecordFilter } from '../namespaces/record-filter';
import { CreateWorkspaceDto, toWorkspaceChanges, toWorkspaceDraft, toWorkspaceRecord, UpdateWorkspaceDto, WorkspaceDto, WorkspacePageDto } from './workspace.dto';
import { PurgeWorkspace } from './purge-workspace';
import type { WorkspaceEntity } from './workspace.entity';
import { WorkspacesService } from './workspaces.service';

const TYPE = 'passportsvc:workspace';
const anywhere = { nsfilter: 'ignored' } as const;

@ApiTags('workspaces')
@Controller('passportsvc/api/v1/workspaces')
export class WorkspacesController {
  constructor(
    private readonly workspaces: WorkspacesService,
    private readonly purgeWorkspace: PurgeWorkspace,
  ) {}

  @Post()
  @Allow('CREATE', TYPE, anywhere)
  @ApiOperation({ operationId: 'createWorkspaces', summary: 'Makes workspaces in the application of the token, or in the organization that `_orgId` names' })
  @ApiBody({ type: CreateWorkspaceDto, isArray: true })
  @ApiCreatedResponse({ type: WorkspacePageDto })
  async create(@Ctx() ctx: RequestContext, @Body() body: unknown) {
    const drafts = parseArrayBody(body, CreateWorkspaceDto).map(toWorkspaceDraft);
    return keepingBody(ctx, 201, (made: WorkspaceEntity[]) => toWholePage(made.map(toWorkspaceRecord)), (keep) => this.workspaces.create(ctx, drafts, keep));
  }

  @Get()
  @Allow('READ', TYPE, anywhere)
  @ApiOperation({ operationId: 'listWorkspaces', summary: 'Lists the workspaces that the caller may read' })
  @ApiRecordFilters('_id')
  @ApiOkResponse({ type: WorkspacePageDto })
  async list(@Ctx() ctx: RequestContext, @Query() query: Record<string, unknown>) {
    const paging = parsePaging(query);
    return toPage(await this.workspaces.list(ctx, parseRecordFilter(query), paging), paging, toWorkspaceRecord);
  }

  @Get(':id')
  @Allow('READ', TYPE, anywhere)
  @ApiOperation({ operationId: 'getWorkspace', summary: 'One workspace' })
  @ApiOkResponse({ type: WorkspaceDto })
  async get(@Ctx() ctx: RequestContext, @Param('id') id: string) {
    return toWorkspaceRecord(await this.workspaces.get(ctx, id));
  }

  @Put(':id')
  @Allow('EDIT', TYPE, anywhere)
  @ApiOperation({ operationId: 'updateWorkspace', summary: 'Changes a workspace; its namespace stays' })
  @ApiOkResponse({ type: WorkspaceDto })
  async update(@Ctx() ctx: RequestContext, @Param('id') id: string, @Body() body: UpdateWorkspaceDto) {
    return keepingBody(ctx, 200, toWorkspaceRecord, (keep) => this.workspaces.update(ctx, id, toWorkspaceChanges(body), keep));
  }

  @Delete(':id')
  @HttpCode(204)
  @Allow('DELETE', TYPE, anywhere)
  @ApiOperation({
    operationId: 'deleteWorkspace',
    summary: 'Hides a workspace: its namespace is then empty to everybody',
    description:
      'With `purge=true` it is hidden at once, and then removed for good with everything in its namespace, in every service; the audit log of the namespace ' +
      'that it was made in tells of each. One that is hidden already can be purged by those who may DELETE it there, or in the namespace of its organization.',
  })
  @ApiQuery({ name: 'purge', required: false, type: Boolean })
  @ApiNoContentResponse()
  async remove(@Ctx() ctx: RequestContext, @Param('id') id: string, @Query() query: Record<string, unknown>): Promise<void> {
    const isPurged = booleanParameter(query, 'purge');
    await keepingNoContent(ctx, (keep) => (isPurged ? this.purgeWorkspace.run(ctx, id, keep) : this.workspaces.remove(ctx, id, keep)));
  }
}
