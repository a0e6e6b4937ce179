import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import { Allow, Ctx, RequestContext } from '@twinyard/auth';
import { MetricDto, toMetricDto } from './metric.dto';
import { parseDimensionForm, parsePlainQuery } from './metric-query';
import { MetricsService } from './metrics.service';

@ApiTags('metrics')
@Controller('metricsvc/api/v1/metrics')
export class MetricsController {
  constructor(private readonly metrics: MetricsService) {}

  @Get(':metricName')
  @Allow('READ', 'metricsvc:metric', { nsfilter: 'ignored' })
  @ApiOperation({ operationId: 'getMetric', summary: 'All known points of a metric' })
  @ApiQuery({ name: 'namespace', schema: { type: 'string', minLength: 1 }, description: 'Dimensions that are left out are summed over' })
  @ApiOkResponse({ type: MetricDto })
  async plain(@Ctx() ctx: RequestContext, @Param('metricName') name: string, @Query() query: Record<string, unknown>): Promise<MetricDto> {
    const wanted = parsePlainQuery(name, query);
    return toMetricDto(wanted, await this.metrics.list(ctx, wanted));
  }

  @Get(':metricName/:byDimension')
  @Allow('READ', 'metricsvc:metric', { nsfilter: 'ignored' })
  @ApiOperation({ operationId: 'getMetricByDimension', summary: 'Points of a metric within a period' })
  @ApiParam({ name: 'byDimension', example: 'by-dimension;namespace=house_a1B2c3D4' })
  @ApiQuery({ name: 'period.from', required: false, description: 'ISO 8601; 7 days before `period.to` by default' })
  @ApiQuery({ name: 'period.to', required: false, description: 'ISO 8601; now by default' })
  @ApiOkResponse({ type: MetricDto })
  async byDimension(
    @Ctx() ctx: RequestContext, @Param('metricName') name: string, @Param('byDimension') form: string, @Query() query: Record<string, unknown>,
  ): Promise<MetricDto> {
    const wanted = parseDimensionForm(name, form, query, new Date());
    return toMetricDto(wanted, await this.metrics.list(ctx, wanted));
  }
}
