import { Module } from '@nestjs/common';
import { MetricsController } from './metrics.controller';
import { MetricsService } from './metrics.service';
import { PointsRepository } from './points.repository';

@Module({ controllers: [MetricsController], providers: [MetricsService, PointsRepository] })
export class MetricsModule {}
