import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Allow, Ctx, PermissionPageDto, RequestContext } from '@twinyard/auth';
import { type Page, parsePaging, type PermissionRecord, toPage } from '@twinyard/conventions';
import { UserGroupsService } from '../usergroups/usergroups.service';
import { toPermissionRecord } from './permission.dto';
import { PermissionsRepository } from './permissions.repository';

@ApiTags('permissions')
@Controller('passportsvc/api/v1/usergroups/:id/permissions')
export class UserGroupPermissionsController {
  constructor(
    private readonly groups: UserGroupsService,
    private readonly permissions: PermissionsRepository,
  ) {}

  @Get()
  @Allow('READ', 'passportsvc:usergroup', { nsfilter: 'ignored' })
  @ApiOperation({ operationId: 'listUserGroupPermissions', summary: 'All permissions of a group, over all services' })
  @ApiOkResponse({ type: PermissionPageDto })
  async list(@Ctx() ctx: RequestContext, @Param('id') id: string, @Query() query: Record<string, unknown>): Promise<Page<PermissionRecord>> {
    const group = await this.groups.get(ctx, id);
    const paging = parsePaging(query);
    return toPage(await this.permissions.listOf({ type: 'usergroup', id: group.id }, paging), paging, toPermissionRecord);
  }
}
