import { Module } from '@nestjs/common';
import { EndedMeasurementsSweep } from './ended-measurements-sweep';
import { MeasurementEvents } from './measurement.events';
import { MeasurementsPurge } from './measurements-purge';
import { MeasurementsRepository } from './measurements.repository';

@Module({ providers: [MeasurementEvents, MeasurementsPurge, EndedMeasurementsSweep, MeasurementsRepository], exports: [MeasurementsRepository] })
export class MeasurementsModule {}
