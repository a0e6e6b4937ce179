import { readIfcInWorker } from '../ifc/read-ifc-in-worker';
import type { Component } from './component';
import { csvTelemetryImport } from './csv-telemetry-import/csv-telemetry-import.component';
import { ifcImport, type ReadIfc } from './ifc-import/ifc-import.component';
import { ping } from './ping.component';
import { HostPatterns } from './rest-connector/host-patterns';
import { restConnector } from './rest-connector/rest-connector.component';
import type { RestRules } from './rest-connector/rest-rules';

const NOWHERE: RestRules = { hosts: new HostPatterns(''), allowPrivate: false };

/** `readIfc`: a thread's needs compiled code, so specs read in their own. */
export const builtInComponents = (readIfc: ReadIfc = readIfcInWorker, rest: RestRules = NOWHERE): readonly Component[] =>
  [ping, ifcImport(readIfc), csvTelemetryImport, restConnector(rest)];
