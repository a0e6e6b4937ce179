import { isDeepStrictEqual } from 'node:util';
import type { RequestContext } from '@twinyard/auth';
import { forbidden } from '@twinyard/conventions';
import { type Orchestrator, orchestratorTarget } from '../orchestrators/orchestrator.entity';
import { newSteps, toStarter } from '../runs/new-run';
import { Schedule } from './schedule.entity';

/** Who writes a schedule has it act in its own name from then on. */
export const writtenBy = (ctx: RequestContext): Pick<Schedule, 'writer' | 'refusals' | 'updatedAt' | 'updatedById'> => ({
  writer: toStarter(ctx.principal, 'schedule'), refusals: 0, updatedAt: new Date(), updatedById: ctx.callerId,
});

/**
 * The schedule as it is to be kept when its orchestrator is changed so that runs do something else, or do it with its writer's rights in the place of those
 * of a profile: nobody has others' rights do what they have not seen, so it is written with that by the caller. `undefined`: it stays as it is.
 * @throws ServiceError `forbidden`
 */
export function takenOver(ctx: RequestContext, schedule: Schedule, before: Orchestrator, changed: Orchestrator): Schedule | undefined {
  if (!schedule.enabled || changed.permissionProfileId !== null) return undefined;
  if (before.permissionProfileId === null && isDeepStrictEqual(workOf(before, schedule), workOf(changed, schedule))) return undefined;
  if (!ctx.access.holds('RUN', orchestratorTarget(schedule.namespaces, changed.id))) {
    throw forbidden('The orchestrator has a schedule: who changes what that has done has it act in its own name, which needs RUN');
  }
  return Object.assign(new Schedule(), schedule, writtenBy(ctx));
}

/** What its runs are made of. Steps that are sent anew have new ids, and a name does nothing. */
const workOf = (orchestrator: Orchestrator, schedule: Schedule) =>
  newSteps('', orchestrator, schedule.actualParams).map(({ componentId, actualParams, retry, timeoutMs }) => ({ componentId, actualParams, retry, timeoutMs }));
