import { Module } from '@nestjs/common';
import { MeasurementEvents } from './measurement.events';
import { MeasurementsPurge } from './measurements-purge';
import { MeasurementsRepository } from './measurements.repository';

@Module({ providers: [MeasurementEvents, MeasurementsPurge, MeasurementsRepository] })
export class MeasurementsModule {}
