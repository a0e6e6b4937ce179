import { type BodyExamples, EXAMPLE_IDS } from '@twinyard/service-kit';

const { namespace, orchestrator, run } = EXAMPLE_IDS;

/** `_compid` of the component, of all installations. */
const PING = '6f0e6f3a-3b1c-4d0e-9c53-0d4f4f8a7b01';
const ORCHESTRATOR = {
  _name: 'Nightly check', _description: 'Whether a run gets through', _namespaces: [namespace], _userType: 'check', _schemaversion: '2.0',
  _params: { tasks: [{ _orchcomp: 'ping', _name: 'One', _sequenceno: 1, _actualparams: {} }] },
};
const SCHEDULE = { _orchid: orchestrator, _cron: '0 6 * * MON-FRI', _timezone: 'Europe/Berlin' };

export const examples: BodyExamples = {
  createOrchestrator: ORCHESTRATOR,
  updateOrchestrator: ORCHESTRATOR,
  startRun: { orchestratorId: orchestrator, _actualParams: [{ sequence_type_id: PING, params: {} }] },
  cancelRuns: { ids: [run] },
  cancelRun: { id: run },
  createSchedule: SCHEDULE,
  updateSchedule: SCHEDULE,
};
