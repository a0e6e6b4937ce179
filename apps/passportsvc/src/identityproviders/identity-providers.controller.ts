import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post, Put, Query } from '@nestjs/common';
import { ApiBadRequestResponse, ApiConflictResponse, ApiCreatedResponse, ApiNoContentResponse, ApiNotFoundResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Allow, Ctx, keepingBody, keepingNoContent, type RequestContext } from '@twinyard/auth';
import { parsePaging, toPage } from '@twinyard/conventions';
import { PASSPORT_SETTINGS, type PassportSettings } from '../config';
import { ApiPaging } from '../namespaces/list-parameters';
import { callbackUri } from '../upstream/callback-uri';
import {
  CreateIdentityProviderDto, IdentityProviderDto, IdentityProviderPageDto, toProviderChanges, toProviderDraft, toProviderRecord, UpdateIdentityProviderDto,
} from './identity-provider.dto';
import type { IdentityProviderEntity } from './identity-provider.entity';
import { IdentityProviders } from './identity-providers.service';

const TYPE = 'passportsvc:organization';
const anywhere = { nsfilter: 'ignored' } as const;

@ApiTags('identity providers')
@ApiNotFoundResponse({ description: 'No such organization or identity provider' })
@Controller('passportsvc/api/v1/organizations/:id/identityproviders')
export class IdentityProvidersController {
  constructor(
    private readonly providers: IdentityProviders,
    @Inject(PASSPORT_SETTINGS) private readonly settings: PassportSettings,
  ) {}

  @Get()
  @Allow('READ', TYPE, anywhere)
  @ApiOperation({ operationId: 'listIdentityProviders', summary: 'Lists the identity providers of an organization' })
  @ApiPaging()
  @ApiOkResponse({ type: IdentityProviderPageDto })
  async list(@Ctx() ctx: RequestContext, @Param('id') id: string, @Query() query: Record<string, unknown>) {
    const paging = parsePaging(query);
    return toPage(await this.providers.list(ctx, id, paging), paging, this.toRecord);
  }

  @Post()
  @Allow('EDIT', TYPE, anywhere)
  @ApiOperation({ operationId: 'createIdentityProvider', summary: 'Connects an identity provider', description: 'For the owners of the organization, its admin group and platform managers. The issuer is asked for its discovery document: a wrong answer is refused, none is not.' })
  @ApiCreatedResponse({ type: IdentityProviderDto })
  @ApiBadRequestResponse({ description: 'Bad fields, or an issuer that answers wrongly' })
  @ApiConflictResponse({ description: 'The name, or a domain of a trusted one, is taken' })
  async create(@Ctx() ctx: RequestContext, @Param('id') id: string, @Body() body: CreateIdentityProviderDto) {
    return keepingBody(ctx, 201, this.toRecord, (keep) => this.providers.create(ctx, id, toProviderDraft(body), keep));
  }

  @Get(':idpId')
  @Allow('READ', TYPE, anywhere)
  @ApiOperation({ operationId: 'getIdentityProvider', summary: 'One identity provider; its secret is never told' })
  @ApiOkResponse({ type: IdentityProviderDto })
  async get(@Ctx() ctx: RequestContext, @Param('id') id: string, @Param('idpId') idpId: string) {
    return this.toRecord(await this.providers.get(ctx, id, idpId));
  }

  @Put(':idpId')
  @Allow('EDIT', TYPE, anywhere)
  @ApiOperation({ operationId: 'updateIdentityProvider', summary: 'Changes an identity provider', description: 'Fields that are missing stay as they are. Another issuer ends every connection that there is, and their sessions.' })
  @ApiOkResponse({ type: IdentityProviderDto })
  @ApiBadRequestResponse({ description: 'Bad fields, or an issuer that answers wrongly' })
  @ApiConflictResponse({ description: 'The name, or a domain of a trusted one, is taken' })
  async update(@Ctx() ctx: RequestContext, @Param('id') id: string, @Param('idpId') idpId: string, @Body() body: UpdateIdentityProviderDto) {
    return keepingBody(ctx, 200, this.toRecord, (keep) => this.providers.update(ctx, id, idpId, toProviderChanges(body), keep));
  }

  @Delete(':idpId')
  @HttpCode(204)
  @Allow('EDIT', TYPE, anywhere)
  @ApiOperation({ operationId: 'deleteIdentityProvider', summary: 'Removes an identity provider; nobody signs in through it any more, and whoever has is signed out everywhere' })
  @ApiNoContentResponse()
  async remove(@Ctx() ctx: RequestContext, @Param('id') id: string, @Param('idpId') idpId: string): Promise<void> {
    await keepingNoContent(ctx, (keep) => this.providers.remove(ctx, id, idpId, keep));
  }

  private readonly toRecord = (provider: IdentityProviderEntity): IdentityProviderDto => toProviderRecord(provider, callbackUri(this.settings.BASE_URL, provider.id));
}
