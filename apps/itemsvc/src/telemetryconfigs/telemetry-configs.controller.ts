import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiBadRequestResponse, ApiBody, ApiNotFoundResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Allow, Ctx, OutcomeReply, RequestContext } from '@twinyard/auth';
import type { FastifyReply } from 'fastify';
import { ApiListQuery } from '../storage/api-parameters';
import { TelemetryConfigDto, TelemetryConfigPageDto, WriteTelemetryConfigDto } from './telemetry-config.dto';
import { TelemetryConfigsService } from './telemetry-configs.service';

const ACCEPTED = (end: string) => ({ description: `\`Location\` tells where to ask; it ends with ${end}` });
const SCRIPT = [
  'Readings that are posted to (or imported into) a bound collection go through the normalization script before they are stored. The script is an ES module; its default',
  'export is called with `(readings, { collection, items })`: the readings of the bound telemetry items in the order they came, `_ts` in UTC; `collection` with `_id`, `_userItemId`,',
  '`_name`, `_userType`; `items` by `_id`. It returns, or promises, an array of readings, which are stored instead: they may be changed, fewer or more, of items of the same collection.',
  'It has no way out of its sandbox, and (unless set otherwise) 5 s and 64 MB. Readings of other items in the same request are stored as they came. When the script fails, or returns something that is no',
  'such array, nothing of the request is stored, and its readings stand in `/telemetry_processing_errors`.',
].join(' ');

@ApiTags('telemetry')
@Controller('itemsvc/api/v1/telemetryconfigs')
export class TelemetryConfigsController {
  constructor(
    private readonly configs: TelemetryConfigsService,
    private readonly replies: OutcomeReply,
  ) {}

  @Post()
  @Allow('CREATE', 'itemsvc:telemetryconfig')
  @HttpCode(202)
  @ApiOperation({ operationId: 'createTelemetryConfig', summary: 'Makes the telemetry config of a namespace', description: SCRIPT })
  @ApiBody({ type: WriteTelemetryConfigDto })
  @ApiAcceptedResponse(ACCEPTED('201 and the config, or 409 where the namespace has one'))
  @ApiBadRequestResponse({ description: 'Every fault, with its path' })
  async create(@Ctx() ctx: RequestContext, @Body() body: unknown, @Res({ passthrough: true }) reply: FastifyReply): Promise<unknown> {
    return this.replies.apply(reply, await this.configs.create(ctx, body));
  }

  @Get()
  @Allow('READ', 'itemsvc:telemetryconfig')
  @ApiListQuery()
  @ApiOperation({ operationId: 'listTelemetryConfigs', summary: 'Lists telemetry configs' })
  @ApiOkResponse({ type: TelemetryConfigPageDto })
  async list(@Ctx() ctx: RequestContext, @Query() query: Record<string, unknown>): Promise<unknown> {
    return this.configs.list(ctx, query);
  }

  @Get(':id')
  @Allow('READ', 'itemsvc:telemetryconfig')
  @ApiOperation({ operationId: 'getTelemetryConfig', summary: 'A telemetry config' })
  @ApiOkResponse({ type: TelemetryConfigDto })
  @ApiNotFoundResponse()
  async get(@Ctx() ctx: RequestContext, @Param('id') id: string): Promise<unknown> {
    return this.configs.get(ctx, id);
  }

  @Put(':id')
  @Allow('EDIT', 'itemsvc:telemetryconfig')
  @HttpCode(202)
  @ApiOperation({ operationId: 'updateTelemetryConfig', summary: 'Replaces a telemetry config', description: 'The whole of it; what the service owns is ignored.' })
  @ApiBody({ type: WriteTelemetryConfigDto })
  @ApiAcceptedResponse(ACCEPTED('200 and the config'))
  @ApiBadRequestResponse({ description: 'Every fault, with its path' })
  @ApiNotFoundResponse()
  async update(@Ctx() ctx: RequestContext, @Param('id') id: string, @Body() body: unknown, @Res({ passthrough: true }) reply: FastifyReply): Promise<unknown> {
    return this.replies.apply(reply, await this.configs.update(ctx, id, body));
  }

  @Delete(':id')
  @Allow('DELETE', 'itemsvc:telemetryconfig')
  @HttpCode(202)
  @ApiOperation({ operationId: 'deleteTelemetryConfig', summary: 'Deletes a telemetry config; readings that it has normalized stay as they are' })
  @ApiAcceptedResponse(ACCEPTED('204'))
  @ApiNotFoundResponse()
  async remove(@Ctx() ctx: RequestContext, @Param('id') id: string, @Res({ passthrough: true }) reply: FastifyReply): Promise<unknown> {
    return this.replies.apply(reply, await this.configs.remove(ctx, id));
  }
}
