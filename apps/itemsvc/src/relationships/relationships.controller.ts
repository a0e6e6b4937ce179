import { Body, Controller, Delete, Get, HttpCode, Param, Put, Query, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiAcceptedResponse, ApiBadRequestResponse, ApiBody, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Allow, Ctx, OutcomeReply, RequestContext } from '@twinyard/auth';
import { BULK_BODY_LIMIT } from '@twinyard/service-kit';
import type { FastifyReply } from 'fastify';
import { ApiListQuery, ApiTransactional, ApiVersionQuery } from '../storage/api-parameters';
import { NewRelationshipDto, RelationshipPageDto } from './relationship.dto';
import { RelationshipsService } from './relationships.service';
import { WriteRelationships } from './write-relationships';

@ApiTags('relationships')
@ApiVersionQuery()
@Controller('itemsvc/api/v1/nameduseritems/:id')
export class RelationshipsController {
  constructor(
    private readonly relationships: RelationshipsService,
    private readonly writing: WriteRelationships,
    private readonly replies: OutcomeReply,
  ) {}

  @Put('relationships')
  @Allow('EDIT', 'itemsvc:nameduseritem')
  @HttpCode(204)
  @ApiTransactional()
  @ApiOperation({ operationId: 'saveRelationships', summary: 'Relates items of this collection to others: all or none', description: 'A pair that is related already stays as it is. Needs READ on the related collections.' })
  @ApiBody({ type: [NewRelationshipDto] })
  @ApiNoContentResponse()
  @ApiBadRequestResponse({ description: 'Also an item that does not exist; every fault named by index' })
  async put(@Ctx() ctx: RequestContext, @Param('id') id: string, @Query() query: Record<string, unknown>, @Body() body: unknown): Promise<void> {
    await this.writing.put(ctx, id, query, body);
  }

  @Put('relationships/bulk')
  @Allow('EDIT', 'itemsvc:nameduseritem')
  @RouteConfig({ bodyLimit: BULK_BODY_LIMIT })
  @ApiTransactional()
  @ApiOperation({ operationId: 'saveManyRelationships', summary: 'The same for up to 10 MB; more than 1,000 pairs are answered with 202' })
  @ApiBody({ type: [NewRelationshipDto] })
  @ApiNoContentResponse()
  @ApiAcceptedResponse({ description: '`Location` tells where to ask' })
  async putMany(
    @Ctx() ctx: RequestContext, @Param('id') id: string, @Query() query: Record<string, unknown>, @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<unknown> {
    return this.replies.apply(reply, await this.writing.putMany(ctx, id, query, body));
  }

  @Get('relationships')
  @Allow('READ', 'itemsvc:nameduseritem')
  @ApiListQuery()
  @ApiOperation({ operationId: 'listRelationships', summary: 'Relations that start in this collection', description: 'Only those to collections that the caller may READ.' })
  @ApiOkResponse({ type: RelationshipPageDto })
  async list(@Ctx() ctx: RequestContext, @Param('id') id: string, @Query() query: Record<string, unknown>): Promise<unknown> {
    return this.relationships.list(ctx, id, query, 'outgoing');
  }

  @Get('inverserelationships')
  @Allow('READ', 'itemsvc:nameduseritem')
  @ApiListQuery()
  @ApiOperation({ operationId: 'listInverseRelationships', summary: 'Relations that lead to this collection' })
  @ApiOkResponse({ type: RelationshipPageDto })
  async listInverse(@Ctx() ctx: RequestContext, @Param('id') id: string, @Query() query: Record<string, unknown>): Promise<unknown> {
    return this.relationships.list(ctx, id, query, 'inverse');
  }

  @Delete('relationships')
  @Allow('EDIT', 'itemsvc:nameduseritem')
  @HttpCode(204)
  @ApiOperation({ operationId: 'deleteRelationships', summary: 'Deletes relations by `_id`, or by records as they were put; unknown ones are passed over' })
  @ApiBody({ schema: { type: 'array', items: {} } })
  @ApiNoContentResponse()
  async remove(@Ctx() ctx: RequestContext, @Param('id') id: string, @Query() query: Record<string, unknown>, @Body() body: unknown): Promise<void> {
    await this.writing.remove(ctx, id, query, body);
  }
}
