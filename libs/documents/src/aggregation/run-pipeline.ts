import { invalid, limitExceeded } from '@twinyard/conventions';
import type { JsonObject } from '../document';
import type { ParsedFilter } from '../filter/ast';
import { datesOf } from './group-dates';
import { planGroup, type GroupPlan } from './group-plan';
import { type GroupTail, planTail } from './group-tail';
import { planPage, type Page } from './page-plan';
import { parsePipeline, type Stage } from './parse-pipeline';
import { runInMemory } from './run-in-memory';

/** Where a pipeline's documents come from. */
export interface PipelineSource {
  /** Whether the path holds dates, stored as ISO text. */
  readonly isDate: (path: string) => boolean;
  /** Does the group in the store; `undefined`: these documents need the pipeline in memory. */
  readonly group: (filter: ParsedFilter, plan: GroupPlan, tail: GroupTail) => Promise<JsonObject[] | undefined>;
  readonly load: (filter: ParsedFilter, page: Page) => Promise<readonly JsonObject[]>;
}

/** More than this many documents are not grouped in memory: the caller has to narrow `$match`. */
export const MAX_PIPELINE_DOCUMENTS = 100_000;

/**
 * Checks the pipeline (contract 2.7), lets the store do its leading `$match` and what follows of a simple `$group`, of `$sort`, `$skip`
 * and `$limit`, and runs the rest in memory.
 */
export async function runPipeline(pipeline: readonly unknown[], source: PipelineSource): Promise<JsonObject[]> {
  if (!Array.isArray(pipeline)) throw invalid('A pipeline must be an array of stages');
  const { filter, stages } = parsePipeline(pipeline);
  const grouped = await runGroup(filter, stages, source);
  if (grouped) return grouped;
  const { page, rest } = planPage(stages, MAX_PIPELINE_DOCUMENTS + 1);
  const documents = await source.load(filter, page);
  if (documents.length > MAX_PIPELINE_DOCUMENTS) {
    throw limitExceeded(`The pipeline reads more than ${MAX_PIPELINE_DOCUMENTS} documents; narrow its first $match`);
  }
  return runInMemory(documents, rest, source.isDate);
}

/** `undefined`: it does not begin with a group that the store could do, or not with these documents. */
async function runGroup(filter: ParsedFilter, stages: readonly Stage[], source: PipelineSource): Promise<JsonObject[] | undefined> {
  const planned = planGroup(stages, source.isDate);
  if (planned === undefined) return undefined;
  const { tail, rest } = planTail(planned.plan, planned.rest, MAX_PIPELINE_DOCUMENTS + 1);
  const groups = await source.group(filter, planned.plan, tail);
  if (groups === undefined) return undefined;
  if (groups.length > MAX_PIPELINE_DOCUMENTS) throw limitExceeded(`The pipeline makes more than ${MAX_PIPELINE_DOCUMENTS} groups; $sort and $limit them, or make larger ones`);
  const dates = datesOf(planned.plan);
  return runInMemory(groups, rest, (path) => dates.has(path));
}
