import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiBadRequestResponse, ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Allow, Ctx, RequestContext } from '@twinyard/auth';
import { BULK_BODY_LIMIT } from '@twinyard/service-kit';
import { type GatewayAnswer, GatewayReadingsService } from './gateway-readings.service';
import { GatewayAnswerDto, GatewayReadingDto } from './reading.dto';

@ApiTags('telemetry')
@Controller('itemsvc/api/v1/readings')
export class GatewayReadingsController {
  constructor(private readonly readings: GatewayReadingsService) {}

  @Post()
  @Allow('CREATE', 'itemsvc:nameduseritem')
  @RouteConfig({ bodyLimit: BULK_BODY_LIMIT })
  @HttpCode(200)
  @ApiOperation({
    operationId: 'saveReadingsBySource',
    summary: 'Stores readings of many sensors',
    description:
      'For gateways that speak for the sensors of many collections: at most 10,000 readings of all telemetry collections that the caller may write to. Each names its sensor by `_telItemId`, ' +
      'or by its collection (`_userItemId`) and its `_sourceId`. Of each collection all are stored or none. What is refused is named by its place in the request, with the reason. ' +
      'The same item and instant again replaces, so sending a request twice changes nothing. ' +
      'A sensor that is named by `_telItemId` alone is looked for where it was last found, and only then in all collections: whoever has the same id in several names the collection. ' +
      'One that was in none may be refused for up to a minute after another process of the service has made it.',
  })
  @ApiBody({ type: [GatewayReadingDto] })
  @ApiOkResponse({ type: GatewayAnswerDto })
  @ApiBadRequestResponse({ description: 'Not an array' })
  async put(@Ctx() ctx: RequestContext, @Body() body: unknown): Promise<GatewayAnswer> {
    return this.readings.put(ctx, body);
  }
}
