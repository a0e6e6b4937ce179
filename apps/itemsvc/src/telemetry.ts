import { ProcessingErrorRetention } from './processingerrors/processing-error-retention';
import { ProcessingErrorsController } from './processingerrors/processing-errors.controller';
import { ProcessingErrorsRepository } from './processingerrors/processing-errors.repository';
import { NormalizeReadings } from './readings/normalize-readings';
import { TelemetryConfigsController } from './telemetryconfigs/telemetry-configs.controller';
import { TelemetryConfigsRepository } from './telemetryconfigs/telemetry-configs.repository';
import { TelemetryConfigsService } from './telemetryconfigs/telemetry-configs.service';
import { TelemetryPurge } from './telemetryconfigs/telemetry-purge';
import { WriteTelemetryConfigs } from './telemetryconfigs/write-telemetry-configs';

/** What treats readings on their way in. */
export const TELEMETRY_CONTROLLERS = [TelemetryConfigsController, ProcessingErrorsController];
export const TELEMETRY = [
  TelemetryConfigsService, WriteTelemetryConfigs, TelemetryConfigsRepository, TelemetryPurge, NormalizeReadings, ProcessingErrorsRepository, ProcessingErrorRetention,
];
