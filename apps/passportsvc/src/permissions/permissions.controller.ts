import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { ApiBody, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { AllowSignedIn, Ctx, GrantDto, keepingBody, keepingNoContent, PermissionDto, PermissionPageDto, PermissionResultDto, RequestContext } from '@twinyard/auth';
import { invalidField, type Page, parsePaging, type PermissionRecord, repeatedParameter, textParameter, toPage } from '@twinyard/conventions';
import { parseQuestions, PermissionAnswerDto, PermissionQuestionDto } from './permission-check.dto';
import { type PermissionAnswer, PermissionChecks } from './permission-checks.service';
import { toPermissionRecord } from './permission.dto';
import type { PermissionFilter } from './permissions.repository';
import { PermissionsService, type PermissionsResult } from './permissions.service';

type Query_ = Readonly<Record<string, unknown>>;

@ApiTags('permissions')
@Controller('passportsvc/api/v1/permissions')
export class PermissionsController {
  constructor(
    private readonly permissions: PermissionsService,
    private readonly checks: PermissionChecks,
  ) {}

  @Put()
  @AllowSignedIn({ scope: 'own' })
  @ApiOperation({ operationId: 'savePermissions', summary: 'Grants permissions; creates each, or replaces the actions of the one with the same identity', description: 'In force in every service when the call returns.' })
  @ApiBody({ type: [GrantDto] })
  @ApiOkResponse({ type: PermissionResultDto })
  async put(@Ctx() ctx: RequestContext, @Body() body: unknown, @Query() query: Query_): Promise<object> {
    if (!Array.isArray(body)) throw invalidField('body', 'must be an array of permissions');
    if (body.length > 1_000) throw invalidField('body', 'holds more than 1,000 permissions');
    const service = textParameter(query, '_service');
    return keepingBody(ctx, 200, toResultRecord, (keep) => this.permissions.put(ctx, body, service, keep));
  }

  @Post('check')
  @HttpCode(200)
  @AllowSignedIn({ scope: 'read' })
  @ApiOperation({
    operationId: 'checkPermissions',
    summary: 'Explains whether something is allowed, by which permissions, and through which group',
    description: 'Of the caller itself with this token, or, for owners of the namespace, of somebody else with any token. What filesvc inherits from folders is not seen here.',
  })
  @ApiBody({ type: [PermissionQuestionDto] })
  @ApiOkResponse({ type: [PermissionAnswerDto] })
  async check(@Ctx() ctx: RequestContext, @Body() body: unknown): Promise<readonly PermissionAnswer[]> {
    return this.checks.explain(ctx, parseQuestions(body));
  }

  @Get()
  @AllowSignedIn()
  @ApiOperation({ operationId: 'listPermissions', summary: 'Permissions of the caller and its groups, and all on what it may SHARE' })
  @ApiQuery({ name: '_namespace', required: false })
  @ApiQuery({ name: '_user._id', required: false })
  @ApiQuery({ name: '_user._type', required: false })
  @ApiQuery({ name: '_resourceDesc._irn', required: false })
  @ApiQuery({ name: '_resourceDesc._criteria._itemClass', required: false })
  @ApiQuery({ name: '_resourceDesc._criteria._userType', required: false })
  @ApiQuery({ name: '_resourceDesc._criteria', required: false, description: '`null`: those without criteria' })
  @ApiOkResponse({ type: PermissionPageDto })
  async list(@Ctx() ctx: RequestContext, @Query() query: Query_): Promise<Page<PermissionRecord>> {
    const paging = parsePaging(query);
    return toPage(await this.permissions.list(ctx, toFilter(query), paging), paging, toPermissionRecord);
  }

  @Get(':id')
  @AllowSignedIn()
  @ApiOperation({ operationId: 'getPermission', summary: 'One permission' })
  @ApiOkResponse({ type: PermissionDto })
  async get(@Ctx() ctx: RequestContext, @Param('id') id: string, @Query() query: Query_): Promise<PermissionRecord> {
    return toPermissionRecord(await this.permissions.get(ctx, id, textParameter(query, '_service')));
  }

  @Delete(':id')
  @AllowSignedIn()
  @HttpCode(204)
  @ApiOperation({ operationId: 'deletePermission', summary: 'Takes a permission back; out of force in every service when the call returns' })
  @ApiNoContentResponse()
  async remove(@Ctx() ctx: RequestContext, @Param('id') id: string, @Query() query: Query_): Promise<void> {
    const service = textParameter(query, '_service');
    await keepingNoContent(ctx, (keep) => this.permissions.remove(ctx, id, service, keep));
  }
}

const toResultRecord = ({ success, failures }: PermissionsResult) => ({
  _success: success.map(toPermissionRecord),
  _failures: failures.map(({ entry, reason }) => ({ ...(entry as object | null), _reason: reason })),
});

function toFilter(query: Query_): PermissionFilter {
  const values = (name: string) => repeatedParameter(query, name);
  const namespaces = values('_namespace');
  const principalIds = values('_user._id');
  const principalTypes = values('_user._type');
  const irns = values('_resourceDesc._irn');
  const itemClass = textParameter(query, '_resourceDesc._criteria._itemClass');
  const userType = textParameter(query, '_resourceDesc._criteria._userType');
  const service = textParameter(query, '_service');
  return {
    ...(namespaces && { namespaces }), ...(principalIds && { principalIds }), ...(principalTypes && { principalTypes }), ...(irns && { irns }),
    ...(itemClass !== undefined && { itemClass }), ...(userType !== undefined && { userType }), ...(service !== undefined && { service }),
    ...(textParameter(query, '_resourceDesc._criteria') === 'null' && { withoutCriteria: true }),
  };
}
