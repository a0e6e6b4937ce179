import type { RequestContext } from '@twinyard/auth';
import { formatIrn } from '@twinyard/conventions';
import { resourceCreated, resourceDeleted, resourceUpdated } from '@twinyard/events';
import type { Orchestrator } from './orchestrator.entity';

const TYPE = 'datasourcesvc.Orchestrator';

const fields = ({ id, name, namespaces, userType }: Orchestrator) => ({
  _id: id, _irn: formatIrn('datasourcesvc', 'orchestrator', id), _name: name, _namespaces: namespaces, ...(userType !== null && { _userType: userType }),
});

export const orchestratorCreated = (ctx: RequestContext, made: Orchestrator) => resourceCreated(TYPE, fields(made), ctx.origin);
export const orchestratorUpdated = (ctx: RequestContext, changed: Orchestrator) => resourceUpdated(TYPE, fields(changed), ctx.origin);
export const orchestratorDeleted = (ctx: RequestContext, gone: Orchestrator) => resourceDeleted(TYPE, fields(gone), ctx.origin);
