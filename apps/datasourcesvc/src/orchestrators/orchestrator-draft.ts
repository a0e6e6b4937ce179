import type { RequestContext } from '@twinyard/auth';
import { type FieldIssue, invalidFields } from '@twinyard/conventions';
import type { ComponentCatalogue } from '../components/component-catalogue';
import type { PutOrchestratorDto } from './orchestrator.dto';
import type { Orchestrator, OrchestratorStep } from './orchestrator.entity';
import { parseInterval } from './run-interval';
import { parseSteps } from './step-draft';

export type OrchestratorDraft = Pick<
  Orchestrator, 'name' | 'description' | 'namespaces' | 'userType' | 'schemaVersion' | 'instant' | 'permissionProfileId' | 'timeout' | 'maxConcurrent' | 'paused' | 'steps'
>;

/** The body, checked; every fault of it is named at once. `stored` is what an update leaves as it is when it says nothing of it. */
export function parseDraft(ctx: RequestContext, body: PutOrchestratorDto, catalogue: ComponentCatalogue, stored?: Orchestrator): OrchestratorDraft {
  const issues: FieldIssue[] = [];
  const namespaces = [...new Set(body._namespaces)];
  for (const namespace of namespaces) {
    if (!ctx.namespaces.includes(namespace)) issues.push({ field: '_namespaces', issue: `${namespace} is not in nsfilter` });
  }
  if (body._timeout && parseInterval(body._timeout) === undefined) {
    issues.push({ field: '_timeout', issue: 'must have the form "<hours> <minutes> <seconds>", where * is 0' });
  }
  const steps = draftSteps(body, catalogue, issues, stored);
  if (issues.length > 0) throw invalidFields(issues);
  return { ...draftOptions(body, stored), name: body._name, namespaces, steps };
}

function draftSteps(body: PutOrchestratorDto, catalogue: ComponentCatalogue, issues: FieldIssue[], stored?: Orchestrator): readonly OrchestratorStep[] {
  const reading = { catalogue, issues, stored: stored?.steps ?? [] };
  if (body._params) return parseSteps(body._params['tasks'], '_params.tasks', reading);
  if (body.orchsteps) return parseSteps(body.orchsteps, 'orchsteps', reading);
  if (stored === undefined) reading.issues.push({ field: '_params.tasks', issue: 'is required, or orchsteps' });
  return stored?.steps ?? [];
}

const draftOptions = (body: PutOrchestratorDto, stored: Orchestrator | undefined) => ({
  ...draftWords(body, stored),
  ...draftLimits(body, stored),
  schemaVersion: body._schemaversion ?? stored?.schemaVersion ?? '2.0',
  instant: body._instant ?? stored?.instant ?? false,
});

/** `null` or an empty text clears; what is missing stays. */
const draftWords = (body: PutOrchestratorDto, stored: Orchestrator | undefined) => ({
  description: given(body._description, stored?.description),
  userType: given(body._userType, stored?.userType),
  permissionProfileId: given(body._permissionprofileid, stored?.permissionProfileId),
  timeout: given(body._timeout, stored?.timeout),
});

/** `null` clears; what is missing stays. */
const draftLimits = ({ _maxConcurrent, _paused }: PutOrchestratorDto, stored: Orchestrator | undefined) => ({
  maxConcurrent: (_maxConcurrent === undefined ? stored?.maxConcurrent : _maxConcurrent) ?? null,
  paused: _paused ?? stored?.paused ?? false,
});

const given = (sent: string | null | undefined, stored: string | null | undefined): string | null => (sent === undefined ? stored : sent) || null;
