import { readIfcInWorker } from '../ifc/read-ifc-in-worker';
import type { Component } from './component';
import { csvTelemetryImport } from './csv-telemetry-import/csv-telemetry-import.component';
import { ifcImport, type ReadIfc } from './ifc-import/ifc-import.component';
import { ping } from './ping.component';

/** `readIfc`: a thread's needs compiled code, so specs read in their own. */
export const builtInComponents = (readIfc: ReadIfc = readIfcInWorker): readonly Component[] => [ping, ifcImport(readIfc), csvTelemetryImport];
