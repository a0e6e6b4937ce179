import { Module } from '@nestjs/common';
import { AggregatesController } from './aggregates.controller';
import { TenancyAggregates } from './tenancy-aggregates';
import { TenancyAggregatesRepository } from './tenancy-aggregates.repository';

@Module({ controllers: [AggregatesController], providers: [TenancyAggregates, TenancyAggregatesRepository] })
export class AggregatesModule {}
