import { invalid, limitExceeded } from '@twinyard/conventions';
import type { JsonObject } from '../document';
import type { ParsedFilter } from '../filter/ast';
import { planGroup, type GroupPlan } from './group-plan';
import { planPage, type Page } from './page-plan';
import { parsePipeline } from './parse-pipeline';
import { runInMemory } from './run-in-memory';

/** Where a pipeline's documents come from. */
export interface PipelineSource {
  /** Whether the path holds dates, stored as ISO text. */
  readonly isDate: (path: string) => boolean;
  /** Does the group in the store; `undefined`: these documents need the pipeline in memory. */
  readonly group: (filter: ParsedFilter, plan: GroupPlan) => Promise<JsonObject[] | undefined>;
  readonly load: (filter: ParsedFilter, page: Page) => Promise<readonly JsonObject[]>;
}

/** More than this many documents are not grouped in memory: the caller has to narrow `$match`. */
export const MAX_PIPELINE_DOCUMENTS = 100_000;

/**
 * Checks the pipeline (contract 2.7), lets the store do its leading `$match` and what follows of a simple `$group` or of `$sort`, `$skip`
 * and `$limit`, and runs the rest in memory.
 */
export async function runPipeline(pipeline: readonly unknown[], source: PipelineSource): Promise<JsonObject[]> {
  if (!Array.isArray(pipeline)) throw invalid('A pipeline must be an array of stages');
  const { filter, stages } = parsePipeline(pipeline);
  const plan = planGroup(stages[0], source.isDate);
  const groups = plan && (await source.group(filter, plan));
  if (groups) return runInMemory(groups, stages.slice(1), source.isDate);
  const { page, rest } = planPage(stages, MAX_PIPELINE_DOCUMENTS + 1);
  const documents = await source.load(filter, page);
  if (documents.length > MAX_PIPELINE_DOCUMENTS) {
    throw limitExceeded(`The pipeline reads more than ${MAX_PIPELINE_DOCUMENTS} documents; narrow its first $match`);
  }
  return runInMemory(documents, rest, source.isDate);
}
