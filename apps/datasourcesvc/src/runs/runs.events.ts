import { formatIrn } from '@twinyard/conventions';
import { resourceCreated, resourceDeleted, resourceUpdated } from '@twinyard/events';
import type { Run } from './run.entity';

const TYPE = 'datasourcesvc.OrchestratorRun';

/** Permissions on a run are those on its orchestrator; its own IRN names the run. */
const fields = (run: Run) => ({
  _id: run.id, _irn: formatIrn('datasourcesvc', 'orchrun', run.id), _name: run.name, _namespaces: run.namespaces,
  ...(run.userType !== null && { _userType: run.userType }), _status: run.state, _orchid: run.orchestratorId,
});

interface Cause {
  readonly userId: string;
  readonly requestId: string;
}

/** What a run does by itself is done in its starter's name, and for the request that started it. */
const starterOf = (run: Run): Cause => ({ userId: run.starter.id, requestId: run.requestId });

export const runCreated = (run: Run) => resourceCreated(TYPE, fields(run), starterOf(run));
export const runUpdated = (run: Run, cause: Cause = starterOf(run)) => resourceUpdated(TYPE, fields(run), cause);
export const runDeleted = (run: Run, cause: Cause) => resourceDeleted(TYPE, fields(run), cause);
