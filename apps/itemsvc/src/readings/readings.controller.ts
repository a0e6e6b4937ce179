import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiBadRequestResponse, ApiBody, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { Allow, Ctx, OutcomeReply, RequestContext } from '@twinyard/auth';
import { MAX_STAGES, schemaRef } from '@twinyard/documents';
import { BULK_BODY_LIMIT, untilOver } from '@twinyard/service-kit';
import type { FastifyReply } from 'fastify';
import { ApiListQuery, ApiVersionQuery } from '../storage/api-parameters';
import { AggregateDto, ReadingDto, ReadingPageDto, WrittenReadingsDto } from './reading.dto';
import { ReadingsService } from './readings.service';
import { CONFLICT_RULES } from './same-instants';

@ApiTags('telemetry')
@ApiVersionQuery()
@Controller('itemsvc/api/v1/nameduseritems/:id/relateditems/readings')
export class ReadingsController {
  constructor(private readonly readings: ReadingsService, private readonly replies: OutcomeReply) {}

  @Post()
  @Allow('CREATE', 'itemsvc:nameduseritem')
  @RouteConfig({ bodyLimit: BULK_BODY_LIMIT })
  @HttpCode(204)
  @ApiOperation({ operationId: 'saveReadings', summary: 'Stores readings: all or none', description: 'The same item and instant again replaces, so sending a batch twice changes nothing; `onConflict` says otherwise.' })
  @ApiQuery({ name: 'onConflict', required: false, enum: CONFLICT_RULES, description: 'Where the item has a reading at that instant: `replace` it, `merge` the fields that are sent into it, or `keep` it' })
  @ApiBody({ type: [ReadingDto] })
  @ApiNoContentResponse()
  @ApiOkResponse({ type: WrittenReadingsDto, description: 'With `onConflict`' })
  @ApiBadRequestResponse({ description: 'Each bad reading, named by index' })
  async put(
    @Ctx() ctx: RequestContext, @Param('id') id: string, @Query() query: Record<string, unknown>, @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<unknown> {
    return this.replies.apply(reply, await this.readings.put(ctx, id, query, body));
  }

  @Get()
  @Allow('READ', 'itemsvc:nameduseritem')
  @ApiListQuery()
  @ApiOperation({ operationId: 'listReadings', summary: 'Lists readings', description: 'ISO text beside `_ts` in `query` is compared as a date.' })
  @ApiOkResponse({ type: ReadingPageDto })
  async list(@Ctx() ctx: RequestContext, @Param('id') id: string, @Query() query: Record<string, unknown>): Promise<unknown> {
    return this.readings.list(ctx, id, query);
  }

  @Post('aggregate')
  @Allow('READ', 'itemsvc:nameduseritem')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'aggregateReadings',
    summary: 'Runs an aggregation pipeline over readings',
    description: 'However many readings match: the pipeline has 60 seconds (`query_too_slow`), 64 MB for groups and 2 GB for what it sorts (`limit_exceeded`), and an answer of the size of a page.',
  })
  @ApiBody({ schema: { type: 'array', items: schemaRef('AggregateStage'), maxItems: MAX_STAGES } })
  @ApiOkResponse({ type: AggregateDto })
  @ApiBadRequestResponse({ description: 'A stage or expression that is not allowed' })
  async aggregate(
    @Ctx() ctx: RequestContext, @Param('id') id: string, @Query() query: Record<string, unknown>, @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<unknown> {
    return this.readings.aggregate(ctx, id, query, body, untilOver(reply));
  }
}
