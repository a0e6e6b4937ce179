import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { Allow, Ctx, keepingBody, keepingNoContent, type RequestContext } from '@twinyard/auth';
import { booleanParameter, parsePaging, textParameter, toPage, toWholePage } from '@twinyard/conventions';
import { AcceptInvite } from '../invites/accept-invite';
import { parseArrayBody, requireArray } from '../namespaces/array-body';
import { ApiPaging, ApiRecordFilters } from '../namespaces/list-parameters';
import { parseRecordFilter } from '../namespaces/record-filter';
import { CreateUserGroupDto, GroupMemberDto, GroupMemberPageDto, toGroupChanges, toGroupDraft, toGroupRecord, toMemberRecord, UpdateUserGroupDto, UserGroupDto, UserGroupPageDto } from './usergroup.dto';
import type { UserEntity } from '../users/user.entity';
import type { UserGroupEntity } from './usergroup.entity';
import { UserGroupMembersService } from './usergroup-members.service';
import { UserGroupsService } from './usergroups.service';

const TYPE = 'passportsvc:usergroup';
const anywhere = { nsfilter: 'ignored' } as const;

@ApiTags('user groups')
@Controller('passportsvc/api/v1/usergroups')
export class UserGroupsController {
  constructor(
    private readonly groups: UserGroupsService,
    private readonly members: UserGroupMembersService,
    private readonly acceptInvite: AcceptInvite,
  ) {}

  @Post()
  @Allow('CREATE', TYPE, anywhere)
  @ApiOperation({ operationId: 'createUserGroups', summary: 'Makes user groups in the application of the token, or in the organization that `_orgId` names' })
  @ApiBody({ type: CreateUserGroupDto, isArray: true })
  @ApiCreatedResponse({ type: UserGroupPageDto })
  async create(@Ctx() ctx: RequestContext, @Body() body: unknown) {
    const drafts = parseArrayBody(body, CreateUserGroupDto).map(toGroupDraft);
    return keepingBody(ctx, 201, (made: UserGroupEntity[]) => toWholePage(made.map(toGroupRecord(ctx.access.groupIds))), (keep) => this.groups.create(ctx, drafts, keep));
  }

  @Get()
  @Allow('READ', TYPE, anywhere)
  @ApiOperation({ operationId: 'listUserGroups', summary: 'Lists the groups that the caller is a member of; with `includeAll` also those that it may read' })
  @ApiRecordFilters('_id')
  @ApiQuery({ name: '_orgId', required: false, description: 'Groups of this organization itself' })
  @ApiQuery({ name: 'includeAll', required: false, type: Boolean })
  @ApiOkResponse({ type: UserGroupPageDto })
  async list(@Ctx() ctx: RequestContext, @Query() query: Record<string, unknown>) {
    const orgId = textParameter(query, '_orgId');
    const filter = { ...parseRecordFilter(query), ...(orgId !== undefined && { orgId }) };
    const paging = parsePaging(query);
    return toPage(await this.groups.list(ctx, filter, booleanParameter(query, 'includeAll'), paging), paging, toGroupRecord(ctx.access.groupIds));
  }

  @Get(':id')
  @Allow('READ', TYPE, anywhere)
  @ApiOperation({ operationId: 'getUserGroup', summary: 'One user group' })
  @ApiOkResponse({ type: UserGroupDto })
  async get(@Ctx() ctx: RequestContext, @Param('id') id: string) {
    return toGroupRecord(ctx.access.groupIds)(await this.groups.get(ctx, id));
  }

  @Put(':id')
  @Allow('EDIT', TYPE, anywhere)
  @ApiOperation({ operationId: 'updateUserGroup', summary: 'Changes a user group' })
  @ApiOkResponse({ type: UserGroupDto })
  async update(@Ctx() ctx: RequestContext, @Param('id') id: string, @Body() body: UpdateUserGroupDto) {
    return keepingBody(ctx, 200, toGroupRecord(ctx.access.groupIds), (keep) => this.groups.update(ctx, id, toGroupChanges(body), keep));
  }

  @Delete(':id')
  @HttpCode(204)
  @Allow('DELETE', TYPE, anywhere)
  @ApiOperation({
    operationId: 'deleteUserGroup',
    summary: 'Deletes a user group, its memberships and all that was granted to it',
    description: 'With `purge=true` everything that lies in its namespace is removed too, in every service.',
  })
  @ApiQuery({ name: 'purge', required: false, type: Boolean })
  @ApiNoContentResponse()
  async remove(@Ctx() ctx: RequestContext, @Param('id') id: string, @Query() query: Record<string, unknown>): Promise<void> {
    const isPurged = booleanParameter(query, 'purge');
    await keepingNoContent(ctx, (keep) => this.groups.remove(ctx, id, isPurged, keep));
  }

  @Get(':id/users')
  @Allow('READ', TYPE, anywhere)
  @ApiOperation({ operationId: 'listUserGroupMembers', summary: 'Lists the members of a user group' })
  @ApiPaging()
  @ApiOkResponse({ type: GroupMemberPageDto })
  async listMembers(@Ctx() ctx: RequestContext, @Param('id') id: string, @Query() query: Record<string, unknown>) {
    const paging = parsePaging(query);
    return toPage(await this.members.list(ctx, id, paging), paging, toMemberRecord);
  }

  @Post(':id/users')
  @HttpCode(200)
  @Allow('EDIT', TYPE, anywhere)
  @ApiOperation({ operationId: 'addUserGroupMembers', summary: 'Adds members; who is one already stays one. With `inviteId` the caller itself joins, and needs no permission but an invite to its confirmed address' })
  @ApiQuery({ name: 'inviteId', required: false })
  @ApiBody({ type: String, isArray: true })
  @ApiOkResponse({ type: GroupMemberDto, isArray: true })
  async addMembers(@Ctx() ctx: RequestContext, @Param('id') id: string, @Body() body: unknown, @Query() query: Record<string, unknown>) {
    const inviteId = textParameter(query, 'inviteId');
    if (inviteId !== undefined) return keepingBody(ctx, 200, (member: UserEntity) => [toMemberRecord(member)], (keep) => this.acceptInvite.run(ctx, id, inviteId, keep));
    return keepingBody(ctx, 200, (members: UserEntity[]) => members.map(toMemberRecord), (keep) => this.members.add(ctx, id, requireArray(body), keep));
  }

  @Delete(':id/users')
  @HttpCode(204)
  @Allow('EDIT', TYPE, anywhere)
  @ApiOperation({ operationId: 'removeUserGroupMembers', summary: 'Removes members; who is none is passed over' })
  @ApiBody({ type: String, isArray: true })
  @ApiNoContentResponse()
  async removeMembers(@Ctx() ctx: RequestContext, @Param('id') id: string, @Body() body: unknown): Promise<void> {
    await keepingNoContent(ctx, (keep) => this.members.remove(ctx, id, requireArray(body), keep));
  }
}
