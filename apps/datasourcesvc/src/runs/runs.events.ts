import { formatIrn } from '@twinyard/conventions';
import { type EventOrigin, resourceCreated, resourceDeleted, resourceUpdated } from '@twinyard/events';
import type { Run } from './run.entity';

const TYPE = 'datasourcesvc.OrchestratorRun';

/** Permissions on a run are those on its orchestrator; its own IRN names the run. */
const fields = (run: Run) => ({
  _id: run.id, _irn: formatIrn('datasourcesvc', 'orchrun', run.id), _name: run.name, _namespaces: run.namespaces,
  ...(run.userType !== null && { _userType: run.userType }), _status: run.state, _orchid: run.orchestratorId,
});

/** What a run does by itself is done in its starter's name, and for the request that started it. */
const starterOf = (run: Run): EventOrigin => ({ userId: run.starter.id, requestId: run.requestId });

export const runCreated = (run: Run, origin: EventOrigin) => resourceCreated(TYPE, fields(run), origin);
export const runUpdated = (run: Run, origin: EventOrigin = starterOf(run)) => resourceUpdated(TYPE, fields(run), origin);
export const runDeleted = (run: Run, origin: EventOrigin) => resourceDeleted(TYPE, fields(run), origin);
