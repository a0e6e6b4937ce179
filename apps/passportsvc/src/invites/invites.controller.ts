import { Body, Controller, Get, Param, Post, Put, Query } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { Allow, AllowSignedIn, Ctx, keepingBody, type RequestContext } from '@twinyard/auth';
import { booleanParameter, oneOfWords, parsePaging, type QueryValues, repeatedParameter, toPage, toWholePage } from '@twinyard/conventions';
import { parseArrayBody } from '../namespaces/array-body';
import { ApiPaging } from '../namespaces/list-parameters';
import { CreateInviteDto, InviteDto, InvitePageDto, type InviteView, toInviteRecord, UpdateInviteDto } from './invite.dto';
import { INVITE_STATUSES } from './invite.entity';
import { InvitesService } from './invites.service';

const TYPE = 'passportsvc:usergroup';
const anywhere = { nsfilter: 'ignored' } as const;
const ApiStatus = () => ApiQuery({ name: '_status', required: false, isArray: true, enum: INVITE_STATUSES });

@ApiTags('invites')
@Controller('passportsvc/api/v1')
export class InvitesController {
  constructor(private readonly invites: InvitesService) {}

  @Post('usergroups/:id/invites')
  @Allow('EDIT', TYPE, anywhere)
  @ApiOperation({ operationId: 'createInvites', summary: 'Invites people to a group by mail', description: 'The mail follows the template USER_GROUP_INVITE of the token\'s application; a reminder goes out at half of the invite\'s life.' })
  @ApiBody({ type: CreateInviteDto, isArray: true })
  @ApiCreatedResponse({ type: InvitePageDto })
  async create(@Ctx() ctx: RequestContext, @Param('id') id: string, @Body() body: unknown) {
    const drafts = parseArrayBody(body, CreateInviteDto);
    return keepingBody(ctx, 201, (made: InviteView[]) => toWholePage(made.map(toInviteRecord(ctx.access.groupIds))), (keep) => this.invites.create(ctx, id, drafts, keep));
  }

  @Get('usergroups/:id/invites')
  @Allow('READ', TYPE, anywhere)
  @ApiOperation({ operationId: 'listInvites', summary: 'Lists the invites to a group (`includeAll` changes nothing: all of them are shown)' })
  @ApiStatus()
  @ApiPaging()
  @ApiOkResponse({ type: InvitePageDto })
  async list(@Ctx() ctx: RequestContext, @Param('id') id: string, @Query() query: Record<string, unknown>) {
    const paging = parsePaging(query);
    return toPage(await this.invites.list(ctx, id, statusesOf(query), paging), paging, toInviteRecord(ctx.access.groupIds));
  }

  @Get('usergroups/:id/invites/:inviteId')
  @Allow('READ', TYPE, anywhere)
  @ApiOperation({ operationId: 'getInvite', summary: 'One invite, for who may READ the group and for who is invited' })
  @ApiOkResponse({ type: InviteDto })
  async get(@Ctx() ctx: RequestContext, @Param('id') id: string, @Param('inviteId') inviteId: string) {
    return toInviteRecord(ctx.access.groupIds)(await this.invites.get(ctx, id, inviteId));
  }

  @Put('usergroups/:id/invites/:inviteId')
  @AllowSignedIn()
  @ApiOperation({ operationId: 'endInvite', summary: 'Cancels an invite (EDIT on the group) or rejects it (who is invited)' })
  @ApiOkResponse({ type: InviteDto })
  async end(@Ctx() ctx: RequestContext, @Param('id') id: string, @Param('inviteId') inviteId: string, @Body() body: UpdateInviteDto) {
    return keepingBody(ctx, 200, toInviteRecord(ctx.access.groupIds), (keep) => this.invites.end(ctx, id, inviteId, body._status, keep));
  }

  @Get('invites')
  @AllowSignedIn()
  @ApiOperation({ operationId: 'listOwnInvites', summary: 'Invites to the caller\'s own verified address; with `includeAll` also those to groups that it may READ' })
  @ApiStatus()
  @ApiQuery({ name: 'includeAll', required: false, type: Boolean })
  @ApiPaging()
  @ApiOkResponse({ type: InvitePageDto })
  async listOwn(@Ctx() ctx: RequestContext, @Query() query: Record<string, unknown>) {
    const paging = parsePaging(query);
    return toPage(await this.invites.listOwn(ctx, booleanParameter(query, 'includeAll'), statusesOf(query), paging), paging, toInviteRecord(ctx.access.groupIds));
  }
}

const statusesOf = (query: QueryValues): string[] | undefined => repeatedParameter(query, '_status')?.map((status) => oneOfWords(INVITE_STATUSES, '_status', status));
