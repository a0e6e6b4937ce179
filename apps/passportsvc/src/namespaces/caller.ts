import type { RequestContext } from '@twinyard/auth';
import type { PrincipalRef } from '../permissions/permissions.repository';

export const callerOf = (ctx: RequestContext): PrincipalRef => ({ type: ctx.principal.type, id: ctx.principal.id });
