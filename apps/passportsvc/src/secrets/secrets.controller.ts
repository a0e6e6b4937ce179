import { Body, Controller, Delete, Get, Header, HttpCode, Param, Post, Put, Query, Res } from '@nestjs/common';
import { ApiBody, ApiConflictResponse, ApiCreatedResponse, ApiForbiddenResponse, ApiNoContentResponse, ApiNotFoundResponse, ApiOkResponse, ApiOperation, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Allow, AllowSignedIn, Ctx, keepingBody, keepingNoContent, type RequestContext } from '@twinyard/auth';
import { invalidField, listParameter, parsePaging, type QueryValues, toPage, toWholePage } from '@twinyard/conventions';
import type { FastifyReply } from 'fastify';
import { parseArrayBody } from '../namespaces/array-body';
import { ApiPaging } from '../namespaces/list-parameters';
import { parseRecordFilter } from '../namespaces/record-filter';
import { DOWNLOAD_SCOPE, DownloadSecret } from './download-secret';
import { CreateSecretDto, SecretDto, SecretPageDto, toOpenedSecretDto, toSecretChanges, toSecretDraft, toSecretDto, UpdateSecretDto } from './secret.dto';
import { SECRET_TYPE, type SecretEntity } from './secret.entity';
import { SecretsService } from './secrets.service';

@ApiTags('secrets')
@Controller('passportsvc/api/v1/secrets')
export class SecretsController {
  constructor(
    private readonly secrets: SecretsService,
    private readonly downloads: DownloadSecret,
  ) {}

  @Post()
  @Allow('CREATE', SECRET_TYPE)
  @ApiOperation({ operationId: 'createSecret', summary: 'Keeps secrets: all of them or none', description: 'A value that is ciphertext of this service is refused, since it would be kept by mistake.' })
  @ApiBody({ type: CreateSecretDto, isArray: true })
  @ApiCreatedResponse({ type: SecretPageDto, description: 'With ciphertext as `_value`' })
  @ApiConflictResponse({ description: 'A namespace has a secret of this name' })
  async create(@Ctx() ctx: RequestContext, @Body() body: unknown) {
    const drafts = parseArrayBody(body, CreateSecretDto).map(toSecretDraft);
    return keepingBody(ctx, 201, (made: SecretEntity[]) => toWholePage(made.map(toSecretDto)), (keep) => this.secrets.create(ctx, drafts, keep));
  }

  @Get()
  @Allow('READ', SECRET_TYPE)
  @ApiOperation({ operationId: 'listSecrets', summary: 'Lists the secrets that the caller may read, with ciphertext as `_value`' })
  @ApiQuery({ name: '_id', required: false, isArray: true, type: String })
  @ApiQuery({ name: '_name', required: false, isArray: true, type: String })
  @ApiQuery({ name: '_userType', required: false, isArray: true, type: String })
  @ApiQuery({ name: 'query', required: false, description: 'Case-insensitive search on name and description; `*` stands for any run' })
  @ApiPaging()
  @ApiOkResponse({ type: SecretPageDto })
  async list(@Ctx() ctx: RequestContext, @Query() query: QueryValues) {
    const paging = parsePaging(query);
    return toPage(await this.secrets.list(ctx, parseRecordFilter(query), paging), paging, toSecretDto);
  }

  @Get(':id')
  @Allow('READ', SECRET_TYPE)
  @ApiOperation({ operationId: 'getSecret', summary: 'One secret, with ciphertext as `_value`' })
  @ApiOkResponse({ type: SecretDto })
  @ApiNotFoundResponse()
  async get(@Ctx() ctx: RequestContext, @Param('id') id: string) {
    return toSecretDto(await this.secrets.get(ctx, id));
  }

  @Put(':id')
  @Allow('EDIT', SECRET_TYPE)
  @ApiOperation({ operationId: 'updateSecret', summary: 'Changes a secret', description: 'Whoever sends back ciphertext that was read of this secret, at any time, leaves its value as it is; other ciphertext is refused.' })
  @ApiOkResponse({ type: SecretPageDto })
  @ApiNotFoundResponse()
  @ApiConflictResponse({ description: 'A namespace has another secret of this name' })
  async update(@Ctx() ctx: RequestContext, @Param('id') id: string, @Body() body: UpdateSecretDto) {
    return keepingBody(ctx, 200, (changed: SecretEntity) => toWholePage([toSecretDto(changed)]), (keep) => this.secrets.update(ctx, id, toSecretChanges(body), keep));
  }

  @Delete(':id')
  @HttpCode(204)
  @Allow('DELETE', SECRET_TYPE)
  @ApiOperation({ operationId: 'deleteSecret', summary: 'Deletes a secret' })
  @ApiNoContentResponse()
  @ApiNotFoundResponse()
  async remove(@Ctx() ctx: RequestContext, @Param('id') id: string): Promise<void> {
    await keepingNoContent(ctx, (keep) => this.secrets.remove(ctx, id, keep));
  }

  @Get(':name/download')
  @AllowSignedIn({ needs: [DOWNLOAD_SCOPE] })
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'downloadSecret',
    summary: 'Tells a trusted client the value of a secret',
    description: 'For a client-credentials token with the scope `download-secrets` of a client with `_trusted`; one with `_orgId` reaches its organization\'s namespaces alone. Every download and every refusal is in the audit log.',
  })
  @ApiQuery({ name: 'nsfilter', required: true, type: String, isArray: true, description: 'Where to look; several secrets of the name in them: 400' })
  @ApiOkResponse({ type: SecretDto, description: 'With the plain text as `_value`' })
  @ApiForbiddenResponse({ description: 'Any other token' })
  @ApiResponse({ status: 507, description: 'There is no room left for the audit log, and so no secret is told' })
  @ApiNotFoundResponse()
  async download(@Ctx() ctx: RequestContext, @Param('name') name: string, @Query() query: QueryValues, @Res({ passthrough: true }) reply: FastifyReply) {
    const opened = await this.downloads.run(ctx, name, requestedNamespaces(query));
    // Tags are made of the answer otherwise: a hash of the value would stand in a header, where values are guessed from it.
    void reply.header('ETag', `"${opened.secret.id}-${opened.secret.revision}"`);
    return toOpenedSecretDto(opened);
  }
}

function requestedNamespaces(query: QueryValues): readonly string[] {
  const names = listParameter(query, 'nsfilter') ?? [];
  if (names.length === 0) throw invalidField('nsfilter', 'is required');
  return names;
}
