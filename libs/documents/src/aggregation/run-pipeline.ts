import { invalid } from '@twinyard/conventions';
import { Deadline } from '../deadline';
import type { JsonObject } from '../document';
import type { ParsedFilter } from '../filter/ast';
import type { StreamQuery } from '../snapshot';
import { MOST_GROUPS } from './bounds';
import { datesOf } from './group-dates';
import { planGroup } from './group-plan';
import { planTail, type StoreGroup } from './group-tail';
import { planPage } from './page-plan';
import { parsePipeline, type Stage } from './parse-pipeline';
import { Pace } from './rows/pace';
import { rowsOf, runStages } from './run-stages';
import type { SortShare } from './sorts/sort-space';

/** Where a pipeline's documents come from. */
export interface PipelineSource {
  /** Whether the path holds dates, stored as ISO text. */
  readonly isDate: (path: string) => boolean;
  /** What the JSON of the answer weighs at most. */
  readonly answerBytes: number;
  /** Where it sorts what is too much for memory. */
  readonly sortShare?: SortShare;
  /** Does the group in the store; `undefined`: these documents need the pipeline in memory. Errors: `limit_exceeded` for groups that weigh more than an answer. */
  readonly group: (filter: ParsedFilter, wanted: StoreGroup) => Promise<JsonObject[] | undefined>;
  /** What matches, some at a time; nothing is asked before somebody reads. */
  readonly stream: (query: StreamQuery) => AsyncIterable<readonly JsonObject[]>;
}

/**
 * Checks the pipeline (contract 2.7), lets the store do its leading `$match` and what follows of a simple `$group`, of `$sort`, `$skip`
 * and `$limit`, and does the rest with documents as the store gives them, in bounded memory. Errors: those of `runStages`.
 */
export async function runPipeline(pipeline: readonly unknown[], source: PipelineSource, deadline = new Deadline()): Promise<JsonObject[]> {
  if (!Array.isArray(pipeline)) throw invalid('A pipeline must be an array of stages');
  const { filter, stages: given } = parsePipeline(pipeline);
  const stages = countInStore(given);
  const grouped = await runGroup(filter, stages, source, deadline);
  if (grouped) return grouped;
  const { page, rest } = planPage(stages, Number.POSITIVE_INFINITY);
  const { limit, ...others } = page;
  const bounds = limit < Number.POSITIVE_INFINITY ? { limit } : {};
  return runStages(source.stream({ filter, deadline, ...others, ...bounds }), rest, { ...source, pace: new Pace(deadline) });
}

/** What `$count` is short for (MongoDB's manual): as a group the store does it. */
function countInStore([first, ...rest]: readonly Stage[]): readonly Stage[] {
  if (first?.name !== '$count') return first === undefined ? [] : [first, ...rest];
  return [{ name: '$group', operand: { _id: null, [first.operand as string]: { $sum: 1 } } }, { name: '$unset', operand: '_id' }, ...rest];
}

/** `undefined`: it does not begin with a group that the store could do, or not with these documents. */
async function runGroup(filter: ParsedFilter, stages: readonly Stage[], source: PipelineSource, deadline: Deadline): Promise<JsonObject[] | undefined> {
  const planned = planGroup(stages, source.isDate);
  if (planned === undefined) return undefined;
  const { tail, rest } = planTail(planned.plan, planned.rest, MOST_GROUPS + 1);
  const groups = await source.group(filter, { plan: planned.plan, tail, deadline });
  if (groups === undefined || groups.length > MOST_GROUPS) return undefined;
  const dates = datesOf(planned.plan);
  return runStages(rowsOf(groups), rest, { ...source, isDate: (path) => dates.has(path), pace: new Pace(deadline) });
}
