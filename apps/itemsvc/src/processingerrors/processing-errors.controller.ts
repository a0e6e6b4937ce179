import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Allow, Ctx, RequestContext } from '@twinyard/auth';
import { toPage } from '@twinyard/conventions';
import { ITEM_TYPE } from '../nameditems/named-item';
import { ApiListQuery } from '../storage/api-parameters';
import { parseListQuery } from '../storage/list-query';
import { ProcessingErrorPageDto } from './processing-error.dto';
import { ProcessingErrorsRepository } from './processing-errors.repository';

@ApiTags('telemetry')
@Controller('itemsvc/api/v1/telemetry_processing_errors')
export class ProcessingErrorsController {
  constructor(private readonly errors: ProcessingErrorsRepository) {}

  @Get()
  @Allow('READ', 'itemsvc:nameduseritem')
  @ApiListQuery()
  @ApiOperation({
    operationId: 'listTelemetryProcessingErrors',
    summary: 'Readings that could not be normalized, latest first',
    description: 'Of the collections that the caller may READ. They are kept for a time and up to a number that settings say; to send the readings again after the script was mended stores them.',
  })
  @ApiOkResponse({ type: ProcessingErrorPageDto })
  async list(@Ctx() ctx: RequestContext, @Query() query: Record<string, unknown>): Promise<unknown> {
    const wanted = parseListQuery(ctx, query);
    return toPage(await this.errors.list(ctx.access.scope('READ', ITEM_TYPE), wanted), wanted.paging, (row) => row);
  }
}
