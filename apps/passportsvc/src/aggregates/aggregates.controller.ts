import { Body, Controller, HttpCode, Post, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public, ServiceTokenGuard } from '@twinyard/auth';
import { AggregateReader, AGGREGATES_PATH, type AggregatesRequest, type AggregatesResponse } from '@twinyard/events';
import { TenancyAggregates } from './tenancy-aggregates';

/** For the other services only: what there is, for who counts it anew. */
@ApiExcludeController()
@UseGuards(ServiceTokenGuard)
@Controller()
export class AggregatesController {
  constructor(
    private readonly reader: AggregateReader,
    private readonly aggregates: TenancyAggregates,
  ) {}

  @Post(AGGREGATES_PATH)
  @Public()
  @HttpCode(200)
  read(@Body() request: AggregatesRequest): Promise<AggregatesResponse> {
    return this.reader.read(request, this.aggregates.topics);
  }
}
