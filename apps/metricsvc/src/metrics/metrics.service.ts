import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import type { MetricQuery } from './metric-query';
import { type Point, PointsRepository } from './points.repository';

@Injectable()
export class MetricsService {
  constructor(private readonly points: PointsRepository) {}

  async list(ctx: RequestContext, query: MetricQuery): Promise<readonly Point[]> {
    const scope = ctx.access.scope('READ', 'metricsvc:metric');
    const [outer, inner] = query.metric.dimensions;
    const innerAlone = inner !== undefined && query.dimensions[inner] !== undefined && query.dimensions[outer as string] === undefined;
    return innerAlone && query.metric.innerNeedsOuter ? [] : this.points.list(scope, query);
  }
}
