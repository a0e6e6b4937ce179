import { IfcReader, type IfcTerms } from '../ifc/on-disk/ifc-reader';
import type { Component } from './component';
import { cobieImport } from './cobie-import/cobie-import.component';
import { csvTelemetryImport } from './csv-telemetry-import/csv-telemetry-import.component';
import { exportItems } from './export-items/export-items.component';
import { geometry } from './geometry/geometry.component';
import type { GeometryTerms } from './geometry/geometry-terms';
import { ifcImport } from './ifc-import/ifc-import.component';
import { csvItemsImport } from './items-import/csv-items-import.component';
import { xlsxItemsImport } from './items-import/xlsx-items-import.component';
import { notify } from './notify/notify.component';
import { ping } from './ping.component';
import { HostPatterns } from './rest-connector/host-patterns';
import { restConnector } from './rest-connector/rest-connector.component';
import type { RestRules } from './rest-connector/rest-rules';
import { defaultScriptTarget } from './script-target/default-script-target.component';
import type { ScriptTerms } from './script-target/script-terms';

export interface ComponentTerms {
  readonly models?: IfcTerms;
  readonly geometry?: GeometryTerms;
  readonly rest?: RestRules;
  readonly scripts?: ScriptTerms;
}

const NOWHERE: RestRules = { hosts: new HostPatterns(''), allowPrivate: false, files: { mostBytes: 0, pace: { silenceMs: 0, leastBytesPerSecond: 0 } } };
const FEW: ScriptTerms = { threads: 4, instantThreads: 2, seconds: 600 };
const SMALL_MODELS: IfcTerms = { fileMb: 64, memoryMb: 1_024, seconds: 120 };

const SMALL_GEOMETRY: GeometryTerms = { memoryMb: 1_536 };

export const builtInComponents = ({ models = SMALL_MODELS, geometry: solids = SMALL_GEOMETRY, rest = NOWHERE, scripts = FEW }: ComponentTerms = {}): readonly Component[] => [
  ping, ifcImport(new IfcReader(models)), geometry(solids), csvTelemetryImport, csvItemsImport, xlsxItemsImport, cobieImport, exportItems, notify, defaultScriptTarget(scripts), restConnector(rest),
];
