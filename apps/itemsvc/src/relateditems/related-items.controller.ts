import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { ApiBadRequestResponse, ApiBody, ApiConflictResponse, ApiCreatedResponse, ApiNoContentResponse, ApiNotFoundResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Allow, Ctx, RequestContext } from '@twinyard/auth';
import { ApiListQuery, ApiTransactional, ApiVersionQuery } from '../storage/api-parameters';
import { RELATED_ITEM_BODY, RELATED_ITEMS_BODY, RelatedItemDto, RelatedItemPageDto } from './related-item.dto';
import { RelatedItemsService } from './related-items.service';

@ApiTags('related items')
@ApiVersionQuery()
@Controller('itemsvc/api/v1/nameduseritems/:id/relateditems')
export class RelatedItemsController {
  constructor(private readonly items: RelatedItemsService) {}

  @Post()
  @Allow('CREATE', 'itemsvc:nameduseritem')
  @ApiTransactional()
  @ApiOperation({ operationId: 'createRelatedItems', summary: 'Makes related items: all or none' })
  @ApiBody(RELATED_ITEMS_BODY)
  @ApiCreatedResponse({ type: RelatedItemPageDto })
  @ApiBadRequestResponse({ description: 'Every fault, named by index' })
  @ApiConflictResponse({ description: 'A `_sourceId` that is taken' })
  async create(@Ctx() ctx: RequestContext, @Param('id') id: string, @Query() query: Record<string, unknown>, @Body() body: unknown): Promise<unknown> {
    return this.items.create(ctx, id, query, body);
  }

  @Get()
  @Allow('READ', 'itemsvc:nameduseritem')
  @ApiListQuery()
  @ApiOperation({ operationId: 'listRelatedItems', summary: 'Lists related items' })
  @ApiOkResponse({ type: RelatedItemPageDto })
  @ApiNotFoundResponse()
  list(@Ctx() ctx: RequestContext, @Param('id') id: string, @Query() query: Record<string, unknown>): Promise<unknown> {
    return this.items.list(ctx, id, query);
  }

  @Put()
  @Allow('EDIT', 'itemsvc:nameduseritem')
  @ApiTransactional()
  @ApiOperation({ operationId: 'replaceRelatedItems', summary: 'Replaces related items by their `_id`: all or none' })
  @ApiBody(RELATED_ITEMS_BODY)
  @ApiOkResponse({ type: RelatedItemPageDto })
  @ApiBadRequestResponse({ description: 'Also an unknown `_id`' })
  async replace(@Ctx() ctx: RequestContext, @Param('id') id: string, @Query() query: Record<string, unknown>, @Body() body: unknown): Promise<unknown> {
    return this.items.replace(ctx, id, query, body);
  }

  @Delete()
  @Allow('EDIT', 'itemsvc:nameduseritem')
  @HttpCode(204)
  @ApiOperation({ operationId: 'deleteRelatedItems', summary: 'Deletes related items by id; unknown ones are passed over' })
  @ApiBody({ type: [String] })
  @ApiNoContentResponse()
  async removeMany(@Ctx() ctx: RequestContext, @Param('id') id: string, @Query() query: Record<string, unknown>, @Body() body: unknown): Promise<void> {
    await this.items.removeMany(ctx, id, query, body);
  }

  @Get(':relatedItemId')
  @Allow('READ', 'itemsvc:nameduseritem')
  @ApiOperation({ operationId: 'getRelatedItem', summary: 'One related item' })
  @ApiOkResponse({ type: RelatedItemDto })
  @ApiNotFoundResponse()
  get(@Ctx() ctx: RequestContext, @Param('id') id: string, @Param('relatedItemId') relatedItemId: string, @Query() query: Record<string, unknown>): Promise<unknown> {
    return this.items.get(ctx, id, relatedItemId, query);
  }

  @Put(':relatedItemId')
  @Allow('EDIT', 'itemsvc:nameduseritem')
  @ApiTransactional()
  @ApiOperation({ operationId: 'replaceRelatedItem', summary: 'Replaces one related item' })
  @ApiBody(RELATED_ITEM_BODY)
  @ApiOkResponse({ type: RelatedItemDto })
  @ApiNotFoundResponse()
  async replaceOne(
    @Ctx() ctx: RequestContext, @Param('id') id: string, @Param('relatedItemId') relatedItemId: string,
    @Query() query: Record<string, unknown>, @Body() body: unknown,
  ): Promise<unknown> {
    return this.items.replaceOne(ctx, id, relatedItemId, { query, body });
  }

  @Delete(':relatedItemId')
  @Allow('EDIT', 'itemsvc:nameduseritem')
  @HttpCode(204)
  @ApiOperation({ operationId: 'deleteRelatedItem', summary: 'Deletes one related item and the relations from and to it' })
  @ApiNoContentResponse()
  @ApiNotFoundResponse()
  async removeOne(@Ctx() ctx: RequestContext, @Param('id') id: string, @Param('relatedItemId') relatedItemId: string, @Query() query: Record<string, unknown>): Promise<void> {
    await this.items.removeOne(ctx, id, relatedItemId, query);
  }
}
