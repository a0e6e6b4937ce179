import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { ApiConflictResponse, ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { Allow, Ctx, keepingBody, keepingNoContent, type RequestContext } from '@twinyard/auth';
import { parsePaging, textParameter, toPage } from '@twinyard/conventions';
import { ApiPaging, ApiRecordFilters } from '../namespaces/list-parameters';
import { parseRecordFilter } from '../namespaces/record-filter';
import { CreateOrganizationDto, OrganizationDto, OrganizationPageDto, OrganizationUserPageDto, toOrganizationChanges, toOrganizationDraft, toOrganizationRecord, toOrganizationUser, UpdateOrganizationDto } from './organization.dto';
import { OrganizationsService } from './organizations.service';

const TYPE = 'passportsvc:organization';
const anywhere = { nsfilter: 'ignored' } as const;

@ApiTags('organizations')
@Controller('passportsvc/api/v1/organizations')
export class OrganizationsController {
  constructor(private readonly organizations: OrganizationsService) {}

  @Post()
  @Allow('CREATE', TYPE, anywhere)
  @ApiOperation({ operationId: 'createOrganization', summary: 'Makes an organization; for a platform manager with a token of the console' })
  @ApiCreatedResponse({ type: OrganizationDto })
  @ApiConflictResponse({ description: 'The short name is taken' })
  async create(@Ctx() ctx: RequestContext, @Body() body: CreateOrganizationDto) {
    return keepingBody(ctx, 201, toOrganizationRecord, (keep) => this.organizations.create(ctx, toOrganizationDraft(body), keep));
  }

  @Get()
  @Allow('READ', TYPE, anywhere)
  @ApiOperation({ operationId: 'listOrganizations', summary: 'Lists the organizations that the caller belongs to; a platform manager sees all' })
  @ApiRecordFilters()
  @ApiOkResponse({ type: OrganizationPageDto })
  async list(@Ctx() ctx: RequestContext, @Query() query: Record<string, unknown>) {
    const paging = parsePaging(query);
    return toPage(await this.organizations.list(ctx, parseRecordFilter(query), paging), paging, toOrganizationRecord);
  }

  @Get(':id')
  @Allow('READ', TYPE, anywhere)
  @ApiOperation({ operationId: 'getOrganization', summary: 'One organization' })
  @ApiOkResponse({ type: OrganizationDto })
  async get(@Ctx() ctx: RequestContext, @Param('id') id: string) {
    return toOrganizationRecord(await this.organizations.get(ctx, id));
  }

  @Put(':id')
  @Allow('EDIT', TYPE, anywhere)
  @ApiOperation({ operationId: 'updateOrganization', summary: 'Changes name, description and type of an organization' })
  @ApiOkResponse({ type: OrganizationDto })
  async update(@Ctx() ctx: RequestContext, @Param('id') id: string, @Body() body: UpdateOrganizationDto) {
    return keepingBody(ctx, 200, toOrganizationRecord, (keep) => this.organizations.update(ctx, id, toOrganizationChanges(body), keep));
  }

  @Delete(':id')
  @HttpCode(204)
  @Allow('DELETE', TYPE, anywhere)
  @ApiOperation({ operationId: 'deleteOrganization', summary: 'Deletes an organization' })
  @ApiNoContentResponse()
  @ApiConflictResponse({ description: 'It still has applications' })
  async remove(@Ctx() ctx: RequestContext, @Param('id') id: string): Promise<void> {
    await keepingNoContent(ctx, (keep) => this.organizations.remove(ctx, id, keep));
  }

  @Get(':id/users')
  @Allow('READ', TYPE, anywhere)
  @ApiOperation({ operationId: 'listOrganizationUsers', summary: 'Lists the users in groups of the organization and of its applications' })
  @ApiQuery({ name: 'query', required: false, description: 'Case-insensitive search on first name, last name and e-mail; `*` stands for any run' })
  @ApiPaging()
  @ApiOkResponse({ type: OrganizationUserPageDto })
  async listUsers(@Ctx() ctx: RequestContext, @Param('id') id: string, @Query() query: Record<string, unknown>) {
    const paging = parsePaging(query);
    return toPage(await this.organizations.listUsers(ctx, id, textParameter(query, 'query'), paging), paging, toOrganizationUser);
  }
}
