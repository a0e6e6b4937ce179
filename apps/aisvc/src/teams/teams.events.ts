import type { RequestContext } from '@twinyard/auth';
import { formatIrn } from '@twinyard/conventions';
import { resourceCreated, resourceDeleted, resourceUpdated } from '@twinyard/events';
import type { Team } from './team.entity';

const fields = (team: Team) => ({ _id: team.id, _irn: formatIrn('aisvc', 'team', team.id), _name: team.name, _namespaces: team.namespaces });

export const teamCreated = (ctx: RequestContext, team: Team) => resourceCreated('aisvc.Team', fields(team), ctx.origin);
export const teamUpdated = (ctx: RequestContext, team: Team) => resourceUpdated('aisvc.Team', fields(team), ctx.origin);
export const teamDeleted = (ctx: RequestContext, team: Team) => resourceDeleted('aisvc.Team', fields(team), ctx.origin);
