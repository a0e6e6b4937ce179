import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiBody, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { Allow, Ctx, keepingNoContent, OutcomeReply, type RequestContext } from '@twinyard/auth';
import { parsePaging, repeatedParameter, toPage } from '@twinyard/conventions';
import type { FastifyReply } from 'fastify';
import { parseArrayBody } from '../namespaces/array-body';
import { ApiPaging } from '../namespaces/list-parameters';
import {
  CreatePermissionProfileDto, PermissionProfileDto, PermissionProfilePageDto, toProfileChanges, toProfileDraft, toProfileRecord, UpdatePermissionProfileDto,
} from './permission-profile.dto';
import { PROFILE_TYPE } from './permission-profile.entity';
import { PermissionProfilesService } from './permission-profiles.service';

const optional = { nsfilter: 'optional' } as const;

@ApiTags('permission profiles')
@Controller('passportsvc/api/v1/permissionprofiles')
export class PermissionProfilesController {
  constructor(
    private readonly profiles: PermissionProfilesService,
    private readonly replies: OutcomeReply,
  ) {}

  @Post()
  @HttpCode(202)
  @Allow('CREATE', PROFILE_TYPE, optional)
  @ApiOperation({ operationId: 'createPermissionProfile', summary: 'Makes permission profiles', description: 'The polled request ends with 201 and a page of them, or with 409 when a name is taken: then none was made.' })
  @ApiBody({ type: CreatePermissionProfileDto, isArray: true })
  @ApiAcceptedResponse({ description: '`Location` tells where to ask how it went' })
  async create(@Ctx() ctx: RequestContext, @Body() body: unknown, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.replies.apply(reply, await this.profiles.create(ctx, parseArrayBody(body, CreatePermissionProfileDto).map(toProfileDraft)));
  }

  @Get()
  @Allow('READ', PROFILE_TYPE, optional)
  @ApiOperation({ operationId: 'listPermissionProfiles', summary: 'Lists the permission profiles that the caller may read' })
  @ApiQuery({ name: '_name', required: false, isArray: true, type: String })
  @ApiQuery({ name: '_userType', required: false, isArray: true, type: String })
  @ApiPaging()
  @ApiOkResponse({ type: PermissionProfilePageDto })
  async list(@Ctx() ctx: RequestContext, @Query() query: Record<string, unknown>) {
    const [names, userTypes] = [repeatedParameter(query, '_name'), repeatedParameter(query, '_userType')];
    const paging = parsePaging(query);
    return toPage(await this.profiles.list(ctx, { ...(names && { names }), ...(userTypes && { userTypes }) }, paging), paging, toProfileRecord);
  }

  @Get(':id')
  @Allow('READ', PROFILE_TYPE, optional)
  @ApiOperation({ operationId: 'getPermissionProfile', summary: 'One permission profile' })
  @ApiOkResponse({ type: PermissionProfileDto })
  async get(@Ctx() ctx: RequestContext, @Param('id') id: string) {
    return toProfileRecord(await this.profiles.get(ctx, id));
  }

  @Put(':id')
  @HttpCode(202)
  @Allow('EDIT', PROFILE_TYPE, optional)
  @ApiOperation({ operationId: 'updatePermissionProfile', summary: 'Changes a permission profile; its permissions are replaced as a whole' })
  @ApiAcceptedResponse({ description: 'The polled request ends with 200 and the profile' })
  async update(@Ctx() ctx: RequestContext, @Param('id') id: string, @Body() body: UpdatePermissionProfileDto, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.replies.apply(reply, await this.profiles.update(ctx, id, toProfileChanges(body)));
  }

  @Delete(':id')
  @HttpCode(204)
  @Allow('DELETE', PROFILE_TYPE, optional)
  @ApiOperation({ operationId: 'deletePermissionProfile', summary: 'Deletes a permission profile; runs that were started under it may do nothing from then on' })
  @ApiNoContentResponse()
  async remove(@Ctx() ctx: RequestContext, @Param('id') id: string): Promise<void> {
    await keepingNoContent(ctx, (keep) => this.profiles.remove(ctx, id, keep));
  }
}
