import { Body, Controller, Delete, Param, Post, Put, Query, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiAcceptedResponse, ApiBadRequestResponse, ApiBody, ApiCreatedResponse, ApiExtraModels, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiPayloadTooLargeResponse, ApiQuery, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { Allow, Ctx, OutcomeReply, RequestContext } from '@twinyard/auth';
import { ITEMS_IN_BULK } from '@twinyard/service-kit';
import type { FastifyReply } from 'fastify';
import { CONFLICT_RULES } from '../readings/same-instants';
import { ApiJsonQuery, ApiTransactional, ApiVersionQuery } from '../storage/api-parameters';
import { BulkRelatedItemsService } from './bulk-related-items.service';
import { RELATED_ITEMS_BODY, RelatedItemPageDto, UpsertedItemsDto } from './related-item.dto';
import { BulkUpsertsService } from './upserts/bulk-upserts.service';
import { parseUpsertRule } from './upserts/upsert';

/** Up to 10 MB and 1,000 items at once; more items, up to 200,000, are answered with 202. */
@ApiTags('related items')
@ApiVersionQuery()
@ApiTransactional()
@ApiAcceptedResponse({ description: 'More than 1,000: `Location` tells where to ask' })
@Controller('itemsvc/api/v1/nameduseritems/:id/relateditems/bulk')
export class BulkRelatedItemsController {
  constructor(
    private readonly items: BulkRelatedItemsService,
    private readonly upserts: BulkUpsertsService,
    private readonly replies: OutcomeReply,
  ) {}

  @Post()
  @Allow('CREATE', 'itemsvc:nameduseritem')
  @RouteConfig(ITEMS_IN_BULK)
  @ApiOperation({ operationId: 'createRelatedItemsInBulk', summary: 'Makes many related items: all or none' })
  @ApiBody(RELATED_ITEMS_BODY)
  @ApiCreatedResponse({ type: RelatedItemPageDto })
  @ApiBadRequestResponse({ description: `Every fault, named by index, or an object of more than ${ITEMS_IN_BULK.mostMembers} members; nothing is written` })
  @ApiPayloadTooLargeResponse({ description: 'More than 10 MB or 200,000 items' })
  async create(
    @Ctx() ctx: RequestContext, @Param('id') id: string, @Query() query: Record<string, unknown>, @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<unknown> {
    return this.replies.apply(reply, await this.items.create(ctx, id, query, body));
  }

  @Put()
  @Allow('EDIT', 'itemsvc:nameduseritem')
  @RouteConfig(ITEMS_IN_BULK)
  @ApiOperation({
    operationId: 'replaceRelatedItemsInBulk',
    summary: 'Replaces many related items by their `_id`, or makes and changes them by their `_sourceId`: all or none',
    description: 'With `by=_sourceId` no item has an `_id`: one whose `_sourceId` the collection version has already is changed as `onConflict` says, others are made. The same again changes nothing. Of two such requests at once, one makes an item and the other changes it.',
  })
  @ApiQuery({ name: 'by', required: false, enum: ['_sourceId'], description: 'What items are known by; `_id` without it' })
  @ApiQuery({ name: 'onConflict', required: false, enum: CONFLICT_RULES, description: 'With `by`, where the item is there: `replace` it (without the parameter), `merge` the properties that are sent into it, or `keep` it' })
  @ApiBody(RELATED_ITEMS_BODY)
  @ApiExtraModels(RelatedItemPageDto, UpsertedItemsDto)
  @ApiOkResponse({ description: 'The items; with `by` the figures', schema: { anyOf: [{ $ref: getSchemaPath(RelatedItemPageDto) }, { $ref: getSchemaPath(UpsertedItemsDto) }] } })
  @ApiBadRequestResponse({ description: 'Also an unknown `_id`; with `by` a missing or repeated `_sourceId`, and one that several items have' })
  async replace(
    @Ctx() ctx: RequestContext, @Param('id') id: string, @Query() query: Record<string, unknown>, @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<unknown> {
    const rule = parseUpsertRule(query);
    return this.replies.apply(reply, await (rule === undefined ? this.items.replace(ctx, id, query, body) : this.upserts.upsert(ctx, id, rule, { query, body })));
  }

  @Delete()
  @Allow('EDIT', 'itemsvc:nameduseritem')
  @ApiJsonQuery('query', 'JSON object: a filter, as in lists', true)
  @ApiOperation({ operationId: 'deleteRelatedItemsInBulk', summary: 'Deletes all related items that match' })
  @ApiNoContentResponse()
  @ApiBadRequestResponse({ description: 'Without `query`' })
  async remove(@Ctx() ctx: RequestContext, @Param('id') id: string, @Query() query: Record<string, unknown>, @Res({ passthrough: true }) reply: FastifyReply): Promise<unknown> {
    return this.replies.apply(reply, await this.items.remove(ctx, id, query));
  }
}
