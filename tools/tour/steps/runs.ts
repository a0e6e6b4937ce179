import { type Api, type Fields, type Page, until } from '../api';
import type { TourLog } from '../tour-log';
import type { Project } from './project';

const BASE = '/datasourcesvc/api/v1';
const RUN_TIMEOUT_MS = 300_000;

export interface Task {
  readonly name: string;
  readonly component: string;
  readonly parameters: Fields;
}

/** Creates an orchestrator with one step, runs it, and resolves with the step's result. */
export const runTask = async (project: Project, task: Task): Promise<Fields> => runOf(project.owner, await makeOrchestrator(project, task));

/** With one step. Its id. */
export async function makeOrchestrator({ owner, namespace }: Project, task: Task): Promise<string> {
  const orchestrator = await owner.post(`${BASE}/orchestrators`, {
    _name: task.name, _description: 'Made by the tour', _namespaces: [namespace], _userType: 'tour', _schemaversion: '2.0',
    _params: { tasks: [{ name: task.component, _name: task.name, _sequenceno: 1, _actualparams: task.parameters }] },
  });
  return String(orchestrator['id']);
}

/** Runs it, and resolves with the result of its last step. */
export async function runOf(owner: Api, orchestratorId: string): Promise<Fields> {
  const run = await owner.post(`${BASE}/orchrun`, { orchestratorId });
  return resultOf(owner, String(run['id']));
}

export const hasEnded = ({ _status }: Fields): boolean => ['COMPLETED', 'ERROR', 'CANCELLED'].includes(String(_status));

async function resultOf(owner: Api, runId: string): Promise<Fields> {
  const run = await until('the run', async () => {
    const [state] = await owner.get<Fields[]>(`${BASE}/orchrun/${runId}`);
    return state !== undefined && hasEnded(state) ? state : undefined;
  }, RUN_TIMEOUT_MS);
  if (run['_status'] !== 'COMPLETED') throw new Error(`the run ended ${String(run['_status'])}: ${JSON.stringify(run['orchrunsteps'])}`);
  const result: unknown = run['_result'];
  return (typeof result === 'string' ? JSON.parse(result) : (result ?? {})) as Fields;
}

/** The collections that the import made, by user type. */
export type ModelCollections = Readonly<Record<'rvt_elements' | 'rvt_element_props' | 'rvt_type_elements' | 'ifc_spatial_structure', string>>;

export function importModel(project: Project, fileId: string, log: TourLog): Promise<ModelCollections> {
  return log.step('Import the model by an orchestrator', async () => {
    await runTask(project, { name: 'Import the model', component: 'ifc_import', parameters: { _fileId: fileId, name: 'Tour building' } });
    return collectionsOfModel(project);
  }, () => 'elements, properties, types and spatial structure');
}

async function collectionsOfModel({ owner }: Project): Promise<ModelCollections> {
  const items = '/itemsvc/api/v1/nameduseritems';
  const models = await owner.get<Page<Fields>>(items, { query: { _userType: 'bim_model_version' } });
  const model = models._list[0];
  if (model === undefined) throw new Error('the import made no model');
  const { _list } = await owner.get<Page<Fields>>(`${items}/${String(model['_id'])}/relatedcollections`);
  return Object.fromEntries(_list.map((member) => [String(member['_userType']), String(member['_userItemId'])])) as ModelCollections;
}

export function importReadings(project: Project, fileId: string, collectionId: string, sourceId: string, log: TourLog): Promise<Fields> {
  return log.step("Import the sensor's history", () => runTask(project, {
    name: 'Import readings', component: 'csv_telemetry_import', parameters: { _fileId: fileId, _userItemId: collectionId, _sourceId: sourceId },
  }), (result) => JSON.stringify(result).slice(0, 100));
}
