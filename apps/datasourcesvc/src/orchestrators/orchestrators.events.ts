import { formatIrn } from '@twinyard/conventions';
import { type EventOrigin, resourceCreated, resourceDeleted, resourceUpdated } from '@twinyard/events';
import type { Orchestrator } from './orchestrator.entity';

const TYPE = 'datasourcesvc.Orchestrator';

/** A request, mostly. */
interface Cause {
  readonly origin: EventOrigin;
}

const fields = ({ id, name, namespaces, userType }: Orchestrator) => ({
  _id: id, _irn: formatIrn('datasourcesvc', 'orchestrator', id), _name: name, _namespaces: namespaces, ...(userType !== null && { _userType: userType }),
});

export const orchestratorCreated = (ctx: Cause, made: Orchestrator) => resourceCreated(TYPE, fields(made), ctx.origin);
export const orchestratorUpdated = (ctx: Cause, changed: Orchestrator) => resourceUpdated(TYPE, fields(changed), ctx.origin);
export const orchestratorDeleted = (ctx: Cause, gone: Orchestrator) => resourceDeleted(TYPE, fields(gone), ctx.origin);
