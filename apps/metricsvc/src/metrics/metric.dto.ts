import { ApiProperty } from '@nestjs/swagger';
import type { MetricQuery } from './metric-query';
import type { Point } from './points.repository';

class PointDto {
  @ApiProperty({ example: '2026-01-31T12:00:00.000Z', description: 'Start of an hour (UTC) in which the value changed' })
  timestamp!: string;

  @ApiProperty({ description: 'The last value of that hour; bytes for sizes' })
  value!: number;
}

export class MetricDto {
  @ApiProperty({ example: 'dtplatform.filesvc.FileCount' })
  metricName!: string;

  @ApiProperty({ type: Object, example: { namespace: 'house_a1B2c3D4' } })
  dimensions!: Record<string, string>;

  @ApiProperty({ type: [PointDto] })
  metrics!: PointDto[];
}

export const toMetricDto = ({ metric, namespace, dimensions }: MetricQuery, points: readonly Point[]): MetricDto => ({
  metricName: metric.name,
  dimensions: { namespace, ...dimensions },
  metrics: points.map(({ hour, value }) => ({ timestamp: hour.toISOString(), value })),
});
