import { applyDecorators, Controller, Param, Post, Query, Req, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import {
  ApiAcceptedResponse, ApiBadRequestResponse, ApiBody, ApiConsumes, ApiNotFoundResponse, ApiOperation, ApiPayloadTooLargeResponse, ApiQuery, ApiTags, ApiUnsupportedMediaTypeResponse,
} from '@nestjs/swagger';
import { Allow, Ctx, HoldsNoPlace, OutcomeReply, RequestContext } from '@twinyard/auth';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ROW_FORMATS } from '../rows/row';
import { ApiVersionQuery } from '../storage/api-parameters';
import { IMPORT_MODES, type RowKindName } from './import';
import { ImportsService } from './imports.service';
import { ROWS_BODY } from './upload-body';

const DESCRIPTION = [
  'The body is a file of rows, a stream of any size up to a setting of the service; its `Content-Type` is not looked at.',
  'NDJSON: a JSON object a line, in UTF-8. CSV (RFC 4180), in UTF-8, in UTF-16 with its byte order mark, or in the `encoding` that is named: the first row holds dotted paths; an empty cell is no property, numbers, `true`, `false`, `null`, arrays and objects are',
  'written as in JSON, and a text that looks like one of them stands in JSON quotes. What an export has written is read back as it was.',
  '`mode=all` makes all rows or none; `mode=rows` makes those that are good.',
  'The request ends with `{ "_created", "_refused": [{ "_line", "_reason" }], "_refusedMore"? }`; rows are numbered by the lines of the file; at most 1,000 refused ones are named.',
  'Under an `Idempotency-Key` files are told apart by all of their bytes.',
].join(' ');

const ApiImport = (operationId: string, summary: string) => applyDecorators(
  RouteConfig(ROWS_BODY),
  HoldsNoPlace(),
  ApiOperation({ operationId, summary, description: DESCRIPTION }),
  ApiConsumes('application/x-ndjson', 'text/csv'),
  ApiBody({ schema: { type: 'string', format: 'binary' } }),
  ApiQuery({ name: 'format', required: false, enum: ROW_FORMATS, description: '`ndjson` without it' }),
  ApiQuery({ name: 'mode', required: false, enum: IMPORT_MODES, description: '`all` without it' }),
  ApiQuery({ name: 'encoding', required: false, description: 'Of CSV: `windows-1252`, `iso-8859-15`, … (a label of the WHATWG)' }),
  ApiQuery({ name: 'delimiter', required: false, description: 'Of CSV; else the one of `,` `;` tab `|` that the header and the first row have' }),
  ApiQuery({ name: 'decimalSeparator', required: false, enum: ['.', ','], description: 'Of CSV: `.` without it. Where it is `,` thousands may have dots' }),
  ApiQuery({ name: 'missingValues', required: false, description: 'Of CSV: a JSON array of cells that hold no value beside the empty ones. Without it `NaN`, `nan`, `NA`, `N/A`, `#N/A`, `NULL`, `-`; `null` is a value' }),
  ApiAcceptedResponse({ description: 'The file is kept whole; `Location` tells where to ask for progress and end' }),
  ApiBadRequestResponse({ description: 'Not UTF-8, or an unknown format or mode. Faults of rows are told at the end' }),
  ApiNotFoundResponse(),
  ApiPayloadTooLargeResponse({ description: 'Larger than the setting allows' }),
  ApiUnsupportedMediaTypeResponse({ description: 'A `Content-Encoding`' }),
);

@ApiTags('import and export')
@ApiVersionQuery()
@Controller('itemsvc/api/v1/nameduseritems/:id/relateditems')
export class ImportsController {
  constructor(
    private readonly imports: ImportsService,
    private readonly replies: OutcomeReply,
  ) {}

  @Post('import')
  @Allow('CREATE', 'itemsvc:nameduseritem')
  @ApiImport('importRelatedItems', 'Makes related items of a file')
  async relatedItems(@Ctx() ctx: RequestContext, @Param('id') id: string, @Query() query: Record<string, unknown>, @Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<unknown> {
    return this.accept(ctx, 'relateditems', { key: id, query, raw: request.raw }, reply);
  }

  @Post('readings/import')
  @Allow('CREATE', 'itemsvc:nameduseritem')
  @ApiImport('importReadings', 'Stores readings of a file')
  async readings(@Ctx() ctx: RequestContext, @Param('id') id: string, @Query() query: Record<string, unknown>, @Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<unknown> {
    return this.accept(ctx, 'readings', { key: id, query, raw: request.raw }, reply);
  }

  private async accept(ctx: RequestContext, kind: RowKindName, request: Parameters<ImportsService['accept']>[2], reply: FastifyReply): Promise<unknown> {
    return this.replies.apply(reply, await this.imports.accept(ctx, kind, request));
  }
}
