import { checkRefusals, newTeam } from './steps/refusals';
import { makeDemoClient } from './steps/demo-client';
import { type EnergyReport, reportEnergy } from './steps/energy';
import { uploadFiles, type UploadedFile } from './steps/files';
import { compareMetrics, type MetricValues } from './steps/metrics';
import { makeProject, type Project } from './steps/project';
import { askModel, type ModelAnswers } from './steps/questions';
import { importModel, importReadings, type ModelCollections } from './steps/runs';
import { askReadings, makeSensor, type ReadingsAnswer, type Sensor } from './steps/telemetry';
import { makeTrigger, waitForMails } from './steps/trigger';
import { TourLog } from './tour-log';
import type { TourOptions } from './tour-options';

export interface TourReport {
  readonly project: Project;
  readonly files: { readonly model: UploadedFile; readonly readings: UploadedFile };
  readonly collections: ModelCollections;
  readonly sensor: Sensor;
  readonly model: ModelAnswers;
  readonly readings: ReadingsAnswer;
  readonly energy: EnergyReport;
  readonly metrics: MetricValues;
  readonly mails: number;
  /** Seconds by step. */
  readonly timings: Readonly<Record<string, number>>;
}

/** The platform's main job through its public API: a building owner's team stores a model and a sensor's history and asks about both. */
export async function runTour(options: TourOptions): Promise<TourReport> {
  const log = new TourLog(options.print);
  const project = await makeProject(options, log);
  const trigger = await makeTrigger(project, log);
  const files = await uploadFiles(options, project, log);
  const collections = await importModel(project, files.model.id, log);
  const sensor = await makeSensor(project, log);
  await importReadings(project, files.readings.id, sensor.collectionId, sensor.sourceId, log);
  const model = await askModel(project, collections, log);
  const readings = await askReadings(project, sensor, log);
  const energy = await reportEnergy(project, collections, model, log);
  await log.step('Create a team of agents', () => project.owner.post('/aisvc/api/v1/teams', newTeam(project.namespace)), ({ _name }) => String(_name));
  const metrics = await compareMetrics(project, log);
  const mails = await waitForMails(options, project, trigger, [files.model.name, files.readings.name], log);
  await checkRefusals(project, collections, files.model, log);
  if (options.clientFile !== undefined) await makeDemoClient(project, { file: options.clientFile, spaces: collections.ifc_spatial_structure }, log);
  return { project, files, collections, sensor, model, readings, energy, metrics, mails, timings: log.timings };
}
