import { applyDecorators, Controller, Get, Inject, Param, Query, Res } from '@nestjs/common';
import { ApiBadRequestResponse, ApiNotFoundResponse, ApiOkResponse, ApiOperation, ApiProduces, ApiQuery, ApiTags, ApiTooManyRequestsResponse } from '@nestjs/swagger';
import { Allow, Ctx, HoldsNoPlace, RequestContext } from '@twinyard/auth';
import type { FastifyReply } from 'fastify';
import { ITEM_SETTINGS, type ItemSettings } from '../config';
import { ROW_FORMATS } from '../rows/row';
import { ApiJsonQuery, ApiVersionQuery } from '../storage/api-parameters';
import type { Export } from './export';
import { ExportsService } from './exports.service';

const DESCRIPTION = [
  'All that matches, as it was when the export began, in the order of creation or as `sort` says; `project` as in lists. Read as fast as the client takes it; what goes wrong on the way cuts the connection.',
  'CSV: a column for each path, in its header with dots; cells as an import reads them, so that nothing is lost. Texts that a spreadsheet would take for a formula stand in JSON quotes.',
].join(' ');

const ApiExport = (operationId: string, summary: string) => applyDecorators(
  HoldsNoPlace(),
  ApiOperation({ operationId, summary, description: DESCRIPTION }),
  ApiProduces('application/x-ndjson', 'text/csv'),
  ApiQuery({ name: 'format', required: false, enum: ROW_FORMATS, description: '`ndjson` without it' }),
  ...(['query', 'project', 'sort'] as const).map((name) => ApiJsonQuery(name, 'JSON object, as in lists')),
  ApiOkResponse({ description: 'A file', schema: { type: 'string', format: 'binary' } }),
  ApiBadRequestResponse(),
  ApiNotFoundResponse(),
  ApiTooManyRequestsResponse({ description: 'More exports at once than the namespace may have' }),
);

@ApiTags('import and export')
@ApiVersionQuery()
@Controller('itemsvc/api/v1/nameduseritems/:id/relateditems')
export class ExportsController {
  constructor(private readonly exports: ExportsService, @Inject(ITEM_SETTINGS) private readonly settings: ItemSettings) {}

  @Get('export')
  @Allow('READ', 'itemsvc:nameduseritem')
  @ApiExport('exportRelatedItems', 'Related items as a file')
  async relatedItems(@Ctx() ctx: RequestContext, @Param('id') id: string, @Query() query: Record<string, unknown>, @Res() reply: FastifyReply): Promise<void> {
    this.send(reply, await this.exports.relatedItems(ctx, id, query));
  }

  @Get('readings/export')
  @Allow('READ', 'itemsvc:nameduseritem')
  @ApiExport('exportReadings', 'Readings as a file')
  async readings(@Ctx() ctx: RequestContext, @Param('id') id: string, @Query() query: Record<string, unknown>, @Res() reply: FastifyReply): Promise<void> {
    this.send(reply, await this.exports.readings(ctx, id, query));
  }

  /** Fastify ends the body with the connection, and the connection with an error of the body. */
  private send(reply: FastifyReply, { headers, body, release }: Export): void {
    if (reply.raw.destroyed) return void body.destroy();
    // The body itself ends when what it waits for has come: a query may take a minute.
    reply.raw.once('close', () => void release());
    // Where nothing lies there for the reader it is the store that is waited for.
    reply.raw.setTimeout(this.settings.EXPORT_STALL_SECONDS * 1_000, () => {
      if (reply.raw.writableLength > 0) reply.raw.destroy();
    });
    void reply.headers(headers).send(body);
  }
}
