import { Module } from '@nestjs/common';
import { MeasurementEvents } from './measurement.events';
import { MeasurementsRepository } from './measurements.repository';

@Module({ providers: [MeasurementEvents, MeasurementsRepository] })
export class MeasurementsModule {}
