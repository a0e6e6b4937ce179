import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Patch, Post, Put, Query, Req, Res, UseFilters, UseGuards } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiParam, ApiProduces, ApiTags } from '@nestjs/swagger';
import { AllowSignedIn, Ctx, keepingAnswer, keepingNoContent, type KeepingWrite, RequestContext } from '@twinyard/auth';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PASSPORT_SETTINGS, type PassportSettings } from '../../config';
import { isUnchanged, requireMatch } from '../protocol/entity-tags';
import { parseListing, searchParameters } from '../protocol/query';
import { SCIM_MEDIA_TYPE } from '../protocol/scim-answers';
import { invalidSyntax } from '../protocol/scim-error';
import { ScimErrorFilter } from '../protocol/scim-error.filter';
import { BY_SCIM, ScimGuard } from '../protocol/scim.guard';
import { parseSelection, select, type Selection } from '../protocol/selection';
import { isObject, type JsonObject, readUser, type UserAttributes } from '../schema/attribute-values';
import { applyPatch } from '../patch/apply-patch';
import { readPatch } from '../patch/patch-request';
import { ApiScimChange, ApiScimCreated, ApiScimErrors, ApiScimList, ApiScimSelection, ScimListDto, ScimPatchDto, ScimSearchDto, ScimUserDraftDto, ScimUserDto } from './scim-user.dto';
import { type ListResponse, toListResponse, toResource } from './scim-user.resource';
import type { ScimUser } from './scim-user';
import { ScimUsers, type UserChange } from './scim-users.service';

type QueryRecord = Record<string, unknown>;

interface WantedAnswer {
  readonly status: 200 | 201;
  readonly selection: Selection;
  readonly reply: FastifyReply;
}

@ApiTags('SCIM')
@ApiConsumes(SCIM_MEDIA_TYPE, 'application/json')
@ApiProduces(SCIM_MEDIA_TYPE)
@ApiScimErrors()
@UseGuards(ScimGuard)
@UseFilters(ScimErrorFilter)
@Controller('passportsvc/api/v1/scim')
export class ScimUsersController {
  constructor(
    private readonly users: ScimUsers,
    @Inject(PASSPORT_SETTINGS) private readonly settings: PassportSettings,
  ) {}

  @Post('Users')
  @AllowSignedIn(BY_SCIM)
  @ApiOperation({ operationId: 'createScimUser', summary: 'Makes a user' })
  @ApiBody({ type: ScimUserDraftDto })
  @ApiScimSelection()
  @ApiScimCreated()
  async create(@Ctx() ctx: RequestContext, @Body() body: unknown, @Query() query: QueryRecord, @Res({ passthrough: true }) reply: FastifyReply) {
    const selection = parseSelection(query);
    return this.showKept(ctx, { status: 201, selection, reply }, (keep) => this.users.create(ctx, readBody(body), keep));
  }

  @Get('Users')
  @AllowSignedIn(BY_SCIM)
  @ApiOperation({ operationId: 'listScimUsers', summary: 'Lists users', description: 'Those that clients of the organization have made; a client of no organization sees all.' })
  @ApiScimList()
  @ApiScimSelection()
  @ApiOkResponse({ type: ScimListDto })
  list(@Ctx() ctx: RequestContext, @Query() query: QueryRecord): Promise<ListResponse> {
    return this.page(ctx, query);
  }

  @Post(['Users/.search', '.search'])
  @HttpCode(200)
  @AllowSignedIn(BY_SCIM)
  @ApiOperation({ operationId: 'searchScimUsers', summary: 'Lists users, with the parameters in the body' })
  @ApiBody({ type: ScimSearchDto })
  @ApiOkResponse({ type: ScimListDto })
  search(@Ctx() ctx: RequestContext, @Body() body: unknown): Promise<ListResponse> {
    return this.page(ctx, searchParameters(body));
  }

  @Get('Users/:id')
  @AllowSignedIn(BY_SCIM)
  @ApiOperation({ operationId: 'getScimUser', summary: 'One user' })
  @ApiScimSelection()
  @ApiOkResponse({ type: ScimUserDto })
  async get(@Ctx() ctx: RequestContext, @Param('id') id: string, @Query() query: QueryRecord, @Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    const shown = this.show(await this.users.get(ctx, id), parseSelection(query), reply);
    if (!isUnchanged(request, String(reply.getHeader('etag')))) return shown;
    void reply.status(304);
    return undefined;
  }

  @Put('Users/:id')
  @AllowSignedIn(BY_SCIM)
  @ApiOperation({ operationId: 'replaceScimUser', summary: 'Replaces a user', description: 'What the body leaves out is unassigned; `active` then stays as it is.' })
  @ApiBody({ type: ScimUserDraftDto })
  @ApiScimSelection()
  @ApiScimChange()
  @ApiOkResponse({ type: ScimUserDto })
  @ApiParam({ name: 'id', type: String })
  async replace(@Ctx() ctx: RequestContext, @Body() body: unknown, @Query() query: QueryRecord, @Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    const [selection, attributes] = [parseSelection(query), readBody(body)];
    const change = ({ active }: UserAttributes): UserAttributes => ({ ...(active !== undefined && { active }), ...attributes });
    return this.change(ctx, request, { status: 200, selection, reply }, change);
  }

  @Patch('Users/:id')
  @AllowSignedIn(BY_SCIM)
  @ApiOperation({ operationId: 'patchScimUser', summary: 'Changes parts of a user', description: 'All operations, in their order, or none. A change that changes nothing leaves the version as it is.' })
  @ApiBody({ type: ScimPatchDto })
  @ApiScimSelection()
  @ApiScimChange()
  @ApiOkResponse({ type: ScimUserDto })
  @ApiParam({ name: 'id', type: String })
  async patch(@Ctx() ctx: RequestContext, @Body() body: unknown, @Query() query: QueryRecord, @Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    const [selection, operations] = [parseSelection(query), readPatch(body)];
    return this.change(ctx, request, { status: 200, selection, reply }, (user) => applyPatch(user, operations));
  }

  @Delete('Users/:id')
  @HttpCode(204)
  @AllowSignedIn(BY_SCIM)
  @ApiOperation({ operationId: 'deleteScimUser', summary: 'Deletes a user', description: 'It is out at once. What it has made stays.' })
  @ApiNoContentResponse()
  async remove(@Ctx() ctx: RequestContext, @Param('id') id: string, @Req() request: FastifyRequest): Promise<void> {
    await keepingNoContent(ctx, (keep) => this.users.remove(ctx, id, (version) => requireMatch(request, version), keep));
  }

  private async page(ctx: RequestContext, query: QueryRecord): Promise<ListResponse> {
    const [listing, selection] = [parseListing(query), parseSelection(query)];
    const { rows, total } = await this.users.list(ctx, listing);
    return toListResponse(rows.map((user) => select(toResource(user, this.settings.BASE_URL), selection)), total, listing.offset + 1);
  }

  private change(ctx: RequestContext, request: FastifyRequest, wanted: WantedAnswer, change: UserChange): Promise<JsonObject> {
    const precondition = (version: string) => requireMatch(request, version);
    return this.showKept(ctx, wanted, (keep) => this.users.update(ctx, idOf(request), { change, precondition }, keep));
  }

  /** What `write` comes to; it keeps the answer in its transaction. */
  private async showKept(ctx: RequestContext, { status, selection, reply }: WantedAnswer, write: KeepingWrite<ScimUser>): Promise<JsonObject> {
    const { headers, body } = await keepingAnswer(ctx, (user: ScimUser) => ({ status, ...this.shown(user, selection) }), write);
    void reply.headers(headers);
    return body;
  }

  private show(user: ScimUser, selection: Selection, reply: FastifyReply): JsonObject {
    const { headers, body } = this.shown(user, selection);
    void reply.headers(headers);
    return body;
  }

  private shown(user: ScimUser, selection: Selection) {
    const resource = toResource(user, this.settings.BASE_URL);
    return { headers: { etag: resource.meta.version, location: resource.meta.location }, body: select(resource, selection) };
  }
}

const idOf = ({ params }: FastifyRequest) => String((params as { readonly id?: unknown }).id);

function readBody(body: unknown): UserAttributes {
  if (!isObject(body)) throw invalidSyntax('The body must be an object');
  return readUser(body);
}
