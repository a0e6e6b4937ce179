import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { ApiBadRequestResponse, ApiBody, ApiCreatedResponse, ApiNoContentResponse, ApiNotFoundResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Allow, Ctx, RequestContext } from '@twinyard/auth';
import { ApiListQuery, ApiTransactional, ApiVersionQuery } from '../storage/api-parameters';
import { VersionContentDto, VersionDto, VersionPageDto, WrittenVersionDto } from './version.dto';
import { VersionsService } from './versions.service';

@ApiTags('item versions')
@Controller('itemsvc/api/v1/nameduseritems/:id/versions')
export class VersionsController {
  constructor(private readonly versions: VersionsService) {}

  @Get()
  @Allow('READ', 'itemsvc:nameduseritem')
  @ApiListQuery()
  @ApiVersionQuery()
  @ApiOperation({ operationId: 'listItemVersions', summary: 'Lists the versions of an item', description: 'Fields of the owning item in `query` match the owner.' })
  @ApiOkResponse({ type: VersionPageDto })
  @ApiNotFoundResponse()
  async list(@Ctx() ctx: RequestContext, @Param('id') id: string, @Query() query: Record<string, unknown>): Promise<unknown> {
    return this.versions.list(ctx, id, query);
  }

  @Post()
  @Allow('EDIT', 'itemsvc:nameduseritem')
  @ApiTransactional()
  @ApiOperation({ operationId: 'createItemVersion', summary: 'Makes a new tip version', description: 'A new version of a collection starts empty. A whole old record may be sent; fields that the service owns are ignored.' })
  @ApiBody({ type: VersionContentDto, required: false })
  @ApiCreatedResponse({ type: WrittenVersionDto })
  @ApiNotFoundResponse()
  async create(@Ctx() ctx: RequestContext, @Param('id') id: string, @Body() body: unknown): Promise<unknown> {
    return this.versions.create(ctx, id, body);
  }
}

/** The specification prints these paths without the prefix; they answer with and without (contract 2.1). */
@ApiTags('item versions')
@Controller(['itemsvc/api/v1/nameduseritems/:id/versions/:versionId', 'nameduseritems/:id/versions/:versionId'])
export class VersionController {
  constructor(private readonly versions: VersionsService) {}

  @Get()
  @Allow('READ', 'itemsvc:nameduseritem')
  @ApiOperation({ operationId: 'getItemVersion', summary: 'One version' })
  @ApiOkResponse({ type: VersionDto })
  @ApiNotFoundResponse()
  async get(@Ctx() ctx: RequestContext, @Param('id') id: string, @Param('versionId') versionId: string): Promise<unknown> {
    return this.versions.get(ctx, id, versionId);
  }

  @Put()
  @Allow('EDIT', 'itemsvc:nameduseritem')
  @HttpCode(201)
  @ApiTransactional()
  @ApiOperation({ operationId: 'updateItemVersion', summary: 'Changes a version', description: 'What is not sent stays.' })
  @ApiBody({ type: VersionContentDto, required: false })
  @ApiCreatedResponse({ type: WrittenVersionDto })
  @ApiNotFoundResponse()
  async update(@Ctx() ctx: RequestContext, @Param('id') id: string, @Param('versionId') versionId: string, @Body() body: unknown): Promise<unknown> {
    return this.versions.update(ctx, id, versionId, body);
  }

  @Delete()
  @Allow('DELETE', 'itemsvc:nameduseritem')
  @HttpCode(204)
  @ApiTransactional()
  @ApiOperation({ operationId: 'deleteItemVersion', summary: 'Deletes a version with its related items' })
  @ApiNoContentResponse()
  @ApiBadRequestResponse({ description: 'It is the only version' })
  @ApiNotFoundResponse()
  async delete(@Ctx() ctx: RequestContext, @Param('id') id: string, @Param('versionId') versionId: string): Promise<void> {
    await this.versions.remove(ctx, id, versionId);
  }
}
