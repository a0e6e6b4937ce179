import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiForbiddenResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AllowSignedIn, Ctx, keepingBody, keepingNoContent, type RequestContext } from '@twinyard/auth';
import { parsePaging, toPage } from '@twinyard/conventions';
import { ApiPaging } from '../namespaces/list-parameters';
import { AccessKeyDto, AccessKeyPageDto, CreateAccessKeyDto, NewAccessKeyDto, toAccessKeyRecord } from './access-key.dto';
import { AccessKeys, type MadeAccessKey } from './access-keys.service';

@ApiTags('access keys')
@Controller('passportsvc/api/v1/users/me/accesskeys')
export class AccessKeysController {
  constructor(private readonly keys: AccessKeys) {}

  @Post()
  @AllowSignedIn()
  @ApiOperation({
    operationId: 'createAccessKey',
    summary: 'Makes an access key of one\'s own, for scripts',
    description: 'It opens the application of the token that makes it, and those that take this one\'s tokens. A logout leaves it; who is disabled or sets a new password loses it.',
  })
  @ApiCreatedResponse({ type: NewAccessKeyDto })
  @ApiForbiddenResponse({ description: 'The token has no scope `write` or not one of `_scopes`, came of an access key, or belongs to a run or a client' })
  async create(@Ctx() ctx: RequestContext, @Body() { _name, _expireTime, _scopes }: CreateAccessKeyDto): Promise<NewAccessKeyDto> {
    const expiresAt = _expireTime == null ? null : new Date(_expireTime);
    const draft = { name: _name, expiresAt, ...(_scopes != null && { scopes: _scopes }) };
    return keepingBody(ctx, 201, ({ key, secret }: MadeAccessKey) => ({ ...toAccessKeyRecord(key), _secret: secret }), (keep) => this.keys.create(ctx, draft, keep));
  }

  @Get()
  @AllowSignedIn()
  @ApiOperation({ operationId: 'listAccessKeys', summary: 'One\'s own access keys' })
  @ApiPaging()
  @ApiOkResponse({ type: AccessKeyPageDto })
  async list(@Ctx() ctx: RequestContext, @Query() query: Record<string, unknown>): Promise<{ readonly _list: readonly AccessKeyDto[] }> {
    const paging = parsePaging(query);
    return toPage(await this.keys.list(ctx, paging), paging, toAccessKeyRecord);
  }

  @Delete(':id')
  @HttpCode(204)
  @AllowSignedIn()
  @ApiOperation({ operationId: 'deleteAccessKey', summary: 'Deletes an access key; the tokens that it was shown for stop working in every service' })
  @ApiNoContentResponse()
  async remove(@Ctx() ctx: RequestContext, @Param('id') id: string): Promise<void> {
    await keepingNoContent(ctx, (keep) => this.keys.remove(ctx, id, keep));
  }
}
