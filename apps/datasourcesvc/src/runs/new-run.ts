import { deriveScopes } from '@twinyard/auth';
import { newUuid, type Principal } from '@twinyard/conventions';
import type { Orchestrator } from '../orchestrators/orchestrator.entity';
import { parseInterval } from '../orchestrators/run-interval';
import { Run, type RunStarter } from './run.entity';
import type { RunParamsDto } from './run.dto';
import { RunStep } from './run-step.entity';

/** Contract 5: the 21st queued run of a namespace is refused. */
export const MAX_QUEUED = 20;

export interface NewRun {
  readonly namespaces: readonly string[];
  readonly starter: RunStarter;
  readonly requestId: string;
  /** A request waits for it. */
  readonly instant: boolean;
  /** The due time that it is for. */
  readonly due?: Pick<Run, 'scheduleId' | 'scheduleDueAt' | 'inTurn'>;
}

const NOT_SCHEDULED = { scheduleId: null, scheduleDueAt: null, inTurn: false };

/** Of the orchestrator as it is now. */
export function newRun(orchestrator: Orchestrator, { namespaces, starter, requestId, instant, due = NOT_SCHEDULED }: NewRun): Run {
  const at = new Date();
  return Object.assign(new Run(), {
    id: newUuid(),
    orchestratorId: orchestrator.id,
    name: orchestrator.name,
    description: orchestrator.description,
    namespaces: [...namespaces],
    userType: orchestrator.userType,
    state: 'QUEUED' as const,
    result: null,
    instant,
    permissionProfileId: orchestrator.permissionProfileId,
    timeoutMs: toMs(orchestrator.timeout),
    starter,
    requestId,
    createdAt: at,
    updatedAt: at,
    createdById: starter.id,
    retryOf: null,
    startedAt: null,
    requests: 0,
    processorMs: 0,
    bytes: 0,
    ...due,
  });
}

/** No time at all is no limit. */
const toMs = (interval: string | null | undefined): number | null => (interval && parseInterval(interval)) || null;

/** Who has it started, by what its token can pass on. @throws ServiceError `forbidden` */
export const toStarter = (principal: Principal, kind: 'run' | 'schedule'): RunStarter => ({
  type: principal.type, id: principal.id, scopes: deriveScopes(principal, kind),
  ...(principal.appId !== undefined && { appId: principal.appId }), ...(principal.profileId !== undefined && { profileId: principal.profileId }),
});

/** The first of these that is for no step, or -1. */
export function indexOfUnknown({ steps }: Orchestrator, overrides: readonly RunParamsDto[]): number {
  const known = new Set(steps.flatMap(({ id, componentId }) => [id, componentId]));
  return overrides.findIndex(({ sequence_type_id: id }) => !known.has(id));
}

/** What is for no step is passed over. */
export function newSteps(runId: string, orchestrator: Orchestrator, overrides: readonly RunParamsDto[]): RunStep[] {
  return orchestrator.steps.map((step, position) => {
    const given = overrides.filter(({ sequence_type_id: id }) => id === step.componentId || id === step.id);
    const runParams = given.length === 0 ? null : given.reduce<Record<string, unknown>>((all, { params }) => ({ ...all, ...params }), {});
    return Object.assign(new RunStep(), {
      id: newUuid(), runId, position, stepId: step.id, componentId: step.componentId, name: step.name, sequenceNo: step.sequenceNo,
      actualParams: { ...step.actualParams, ...runParams }, runParams, state: 'QUEUED' as const, statusMessage: '', result: null, progress: null, report: null,
      retry: step.retry ?? null, timeoutMs: toMs(step.timeout), attempts: 0, retryAt: null,
    });
  });
}
