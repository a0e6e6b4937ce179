import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AllowSignedIn, Ctx, type RequestContext } from '@twinyard/auth';
import { parsePaging, toPage } from '@twinyard/conventions';
import { ApiPaging } from '../namespaces/list-parameters';
import { AccessKeyDto, AccessKeyPageDto, CreateAccessKeyDto, NewAccessKeyDto, toAccessKeyRecord } from './access-key.dto';
import { AccessKeys } from './access-keys.service';

@ApiTags('access keys')
@Controller('passportsvc/api/v1/users/me/accesskeys')
export class AccessKeysController {
  constructor(private readonly keys: AccessKeys) {}

  @Post()
  @AllowSignedIn()
  @ApiOperation({ summary: 'Makes an access key of one\'s own, for scripts' })
  @ApiCreatedResponse({ type: NewAccessKeyDto })
  async create(@Ctx() ctx: RequestContext, @Body() { _name, _expireTime }: CreateAccessKeyDto): Promise<NewAccessKeyDto> {
    const { key, secret } = await this.keys.create(ctx, _name, _expireTime == null ? null : new Date(_expireTime));
    return { ...toAccessKeyRecord(key), _secret: secret };
  }

  @Get()
  @AllowSignedIn()
  @ApiOperation({ summary: 'One\'s own access keys' })
  @ApiPaging()
  @ApiOkResponse({ type: AccessKeyPageDto })
  async list(@Ctx() ctx: RequestContext, @Query() query: Record<string, unknown>): Promise<{ readonly _list: readonly AccessKeyDto[] }> {
    const paging = parsePaging(query);
    return toPage(await this.keys.list(ctx, paging), paging, toAccessKeyRecord);
  }

  @Delete(':id')
  @HttpCode(204)
  @AllowSignedIn()
  @ApiOperation({ summary: 'Deletes an access key; the tokens that it was shown for stop working in every service' })
  @ApiNoContentResponse()
  async remove(@Ctx() ctx: RequestContext, @Param('id') id: string): Promise<void> {
    await this.keys.remove(ctx, id);
  }
}
