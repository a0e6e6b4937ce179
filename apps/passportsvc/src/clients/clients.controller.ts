import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBadRequestResponse, ApiCreatedResponse, ApiForbiddenResponse, ApiNoContentResponse, ApiNotFoundResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AllowSignedIn, Ctx, keepingBody, keepingNoContent, RequestContext } from '@twinyard/auth';
import { type Page, parsePaging, toPage } from '@twinyard/conventions';
import { ClientDto, ClientPageDto, ClientWithSecretDto, CreateClientDto, toClientDto } from './client.dto';
import { ClientsService, type ClientWithSecret } from './clients.service';

@ApiTags('clients')
@ApiForbiddenResponse({ description: 'The caller is no platform manager' })
@Controller('passportsvc/api/v1/clients')
export class ClientsController {
  constructor(private readonly clients: ClientsService) {}

  @Post()
  @AllowSignedIn()
  @ApiOperation({ operationId: 'createClient', summary: 'Makes a client' })
  @ApiCreatedResponse({ type: ClientWithSecretDto })
  @ApiBadRequestResponse({ description: 'A bad field, or no such organization' })
  async create(@Ctx() ctx: RequestContext, @Body() { _name, _orgId, _scopes, _trusted }: CreateClientDto): Promise<ClientWithSecretDto> {
    const draft = { name: _name, orgId: _orgId ?? null, scopes: _scopes, trusted: _trusted ?? false };
    return keepingBody(ctx, 201, withSecret, (keep) => this.clients.create(ctx, draft, keep));
  }

  @Get()
  @AllowSignedIn()
  @ApiOperation({ operationId: 'listClients', summary: 'Lists clients' })
  @ApiOkResponse({ type: ClientPageDto })
  async list(@Ctx() ctx: RequestContext, @Query() query: Record<string, unknown>): Promise<Page<ClientDto>> {
    const paging = parsePaging(query);
    return toPage(await this.clients.list(ctx, paging), paging, toClientDto);
  }

  @Get(':id')
  @AllowSignedIn()
  @ApiOperation({ operationId: 'getClient', summary: 'One client, by its `client_id`' })
  @ApiOkResponse({ type: ClientDto })
  @ApiNotFoundResponse({ description: 'There is no such client' })
  async get(@Ctx() ctx: RequestContext, @Param('id') id: string): Promise<ClientDto> {
    return toClientDto(await this.clients.get(ctx, id));
  }

  @Post(':id/rotate')
  @AllowSignedIn()
  @HttpCode(200)
  @ApiOperation({ operationId: 'rotateClientSecret', summary: 'A new secret; the old one, and every token that was got with it, stop working at once' })
  @ApiOkResponse({ type: ClientWithSecretDto })
  @ApiNotFoundResponse({ description: 'There is no such client' })
  async rotate(@Ctx() ctx: RequestContext, @Param('id') id: string): Promise<ClientWithSecretDto> {
    return keepingBody(ctx, 200, withSecret, (keep) => this.clients.rotate(ctx, id, keep));
  }

  @Delete(':id')
  @AllowSignedIn()
  @HttpCode(204)
  @ApiOperation({ operationId: 'deleteClient', summary: 'Removes a client; its tokens stop working at once' })
  @ApiNoContentResponse()
  @ApiNotFoundResponse({ description: 'There is no such client' })
  async delete(@Ctx() ctx: RequestContext, @Param('id') id: string): Promise<void> {
    await keepingNoContent(ctx, (keep) => this.clients.delete(ctx, id, keep));
  }
}

const withSecret = ({ client, secret }: ClientWithSecret): ClientWithSecretDto => ({ ...toClientDto(client), client_secret: secret });
