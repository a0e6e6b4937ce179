import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiNotFoundResponse, ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { Allow, Ctx, RequestContext } from '@twinyard/auth';
import { ApiVersionQuery } from '../storage/api-parameters';
import { UpdateLogPageDto } from './update-log.dto';
import { UpdateLogsService } from './update-logs.service';

@ApiTags('update logs')
@ApiQuery({ name: 'page', required: false, type: String, description: 'JSON object: `{ "_offset", "_pageSize" }`' })
@Controller('itemsvc/api/v1/nameduseritems/:id')
export class UpdateLogsController {
  constructor(private readonly logs: UpdateLogsService) {}

  @Get('updatelogs')
  @Allow('READ', 'itemsvc:nameduseritem')
  @ApiOperation({ operationId: 'listItemUpdates', summary: 'Who changed what of a named item and its versions, newest first' })
  @ApiOkResponse({ type: UpdateLogPageDto })
  @ApiNotFoundResponse()
  async ofItem(@Ctx() ctx: RequestContext, @Param('id') id: string, @Query() query: Record<string, unknown>): Promise<unknown> {
    return this.logs.ofItem(ctx, id, query);
  }

  @Get('relateditems/:relatedItemId/updatelogs')
  @Allow('READ', 'itemsvc:nameduseritem')
  @ApiVersionQuery()
  @ApiOperation({ operationId: 'listRelatedItemUpdates', summary: 'Who changed what of a related item, newest first' })
  @ApiOkResponse({ type: UpdateLogPageDto })
  @ApiNotFoundResponse()
  async ofRelatedItem(@Ctx() ctx: RequestContext, @Param('id') id: string, @Param('relatedItemId') relatedItemId: string, @Query() query: Record<string, unknown>): Promise<unknown> {
    return this.logs.ofRelatedItem(ctx, id, relatedItemId, query);
  }
}
