import { type FieldIssue, invalidFields } from '@twinyard/conventions';
import type { Orchestrator } from '../orchestrators/orchestrator.entity';
import { indexOfUnknown } from '../runs/new-run';
import type { RunParamsDto } from '../runs/run.dto';
import { isCron, parseRunInterval } from './due-times';
import type { PutScheduleDto } from './schedule.dto';
import type { Schedule, ScheduleTiming } from './schedule.entity';
import { isTimezone } from './wall-clock';

export type ScheduleDraft = ScheduleTiming & Pick<Schedule, 'enabled' | 'overlap' | 'catchUp' | 'actualParams'>;

const DEFAULTS = { enabled: true, overlap: 'SKIP', catchUp: 'ONE' } as const;
/** As JSON: an orchestrator has one of them, and a list has a thousand. */
const MOST_PARAMS = 65_536;

/** The body, checked; every fault of it is named at once. `stored` is what an update leaves as it is when it says nothing of it. */
export function parseSchedule(body: PutScheduleDto, orchestrator: Orchestrator, stored?: Schedule): ScheduleDraft {
  const issues: FieldIssue[] = [];
  const timing = parseTiming(body, issues, stored);
  const actualParams = body._actualParams ? parseParams(body._actualParams, orchestrator, issues) : (stored?.actualParams ?? []);
  if (issues.length > 0) throw invalidFields(issues);
  const otherwise = stored ?? DEFAULTS;
  return {
    ...timing, actualParams,
    enabled: body._enabled ?? otherwise.enabled, overlap: body._overlap ?? otherwise.overlap, catchUp: body._catchup ?? otherwise.catchUp,
  };
}

function parseTiming(body: PutScheduleDto, issues: FieldIssue[], stored?: Schedule): ScheduleTiming {
  const timing = timingIn(body, stored);
  issues.push(...choiceFaults(timing), ...faultsOf(timing));
  return timing;
}

/** Who names one of the two has the other go; who names neither keeps what there is. */
function timingIn(body: PutScheduleDto, stored?: Schedule): ScheduleTiming {
  const sent = { runInterval: given(body.runinterval), cron: given(body._cron) };
  const { runInterval, cron } = sent.runInterval === null && sent.cron === null ? (stored ?? sent) : sent;
  const timezone = given(body._timezone);
  if (cron === null || timezone !== null) return { runInterval, cron, timezone };
  return { runInterval, cron, timezone: stored?.timezone ?? 'UTC' };
}

/** An empty text is none. */
const given = (text: string | null | undefined) => text || null;

function choiceFaults({ runInterval, cron }: ScheduleTiming): FieldIssue[] {
  if (runInterval === null && cron === null) return [{ field: 'runinterval', issue: 'is required, or _cron' }];
  if (runInterval === null || cron === null) return [];
  return ['runinterval', '_cron'].map((field) => ({ field, issue: 'cannot be beside the other' }));
}

function faultsOf({ runInterval, cron, timezone }: ScheduleTiming): FieldIssue[] {
  const issues: FieldIssue[] = [];
  if (runInterval !== null && parseRunInterval(runInterval) === undefined) {
    issues.push({ field: 'runinterval', issue: 'must have the form "<hours> <minutes> <seconds>", where * is 0, and be a second at least' });
  }
  if (cron !== null && !isCron(cron)) {
    issues.push({ field: '_cron', issue: 'must be a pattern of cron that comes some day: minute, hour, day, month, weekday, with six fields seconds before them' });
  }
  if (timezone === null) return issues;
  if (!isTimezone(timezone)) issues.push({ field: '_timezone', issue: 'must be a zone of the IANA database, such as Europe/Berlin' });
  else if (cron === null) issues.push({ field: '_timezone', issue: 'is for _cron' });
  return issues;
}

function parseParams(params: readonly RunParamsDto[], orchestrator: Orchestrator, issues: FieldIssue[]): RunParamsDto[] {
  const unknown = indexOfUnknown(orchestrator, params);
  if (unknown >= 0) issues.push({ field: `_actualParams[${unknown}].sequence_type_id`, issue: 'names no step of the orchestrator' });
  const plain = params.map(({ sequence_type_id, params: values }) => ({ sequence_type_id, params: values }));
  if (JSON.stringify(plain).length > MOST_PARAMS) issues.push({ field: '_actualParams', issue: `must have ${MOST_PARAMS} characters of JSON at most` });
  return plain;
}
