import { atField, invalid, limitExceeded } from '@twinyard/conventions';
import { allOf, type Condition, ParsedFilter, type Test } from '../filter/ast';
import { isPlainObject, readFilter } from '../filter/parser';
import { parsePath } from '../filter/path';
import { readSort } from '../sort';
import { ExpressionChecker } from './expressions';

export interface ParsedPipeline {
  /** All `$match` stages that lead the pipeline. */
  readonly filter: ParsedFilter;
  /** What is left, checked. */
  readonly stages: readonly Stage[];
}

export type StageName = keyof typeof STAGES;
export interface Stage {
  readonly name: StageName;
  readonly operand: unknown;
}

export const MAX_STAGES = 50;
const MAX_UNWINDS = 2;

/** Checks every stage and expression against the lists of contract 2.7 before anything runs. A leading `$match` may hold a parsed filter of the service's own. */
export function parsePipeline(pipeline: readonly unknown[]): ParsedPipeline {
  if (pipeline.length > MAX_STAGES) throw limitExceeded(`A pipeline has at most ${MAX_STAGES} stages`);
  const stages = pipeline.map((stage, index) => atField(`[${index}]`, () => parseStage(stage)));
  const placeOf = (stage: Stage) => `[${stages.indexOf(stage)}].${stage.name}`;
  const leading = stages.findIndex((stage) => stage.name !== '$match');
  const rest = leading === -1 ? [] : stages.slice(leading);
  const check = new ExpressionChecker();
  for (const stage of rest) atField(placeOf(stage), () => STAGES[stage.name](stage.operand, check));
  if (rest.filter((stage) => stage.name === '$unwind').length > MAX_UNWINDS) throw limitExceeded(`A pipeline has at most ${MAX_UNWINDS} $unwind`);
  const filters = stages.slice(0, stages.length - rest.length).map((stage) => (stage.operand instanceof ParsedFilter ? stage.operand : atField(placeOf(stage), () => readFilter(stage.operand))));
  return { filter: allOf(...filters), stages: rest };
}

function parseStage(stage: unknown): Stage {
  const entries = isPlainObject(stage) ? Object.entries(stage) : [];
  const [name, operand] = entries[0] ?? [];
  if (name === undefined || entries.length !== 1) throw invalid('A stage is an object with one operator');
  if (!Object.hasOwn(STAGES, name)) throw invalid(`The stage ${name} is not allowed`);
  return { name: name as StageName, operand };
}

type StageCheck = (operand: unknown, check: ExpressionChecker) => void;

const STAGES = {
  $match: (operand) => refuseInMemory(readFilter(operand).condition),
  $project: (operand, check) => checkFields(operand, '$project', (value) => check.expression(value)),
  $addFields: (operand, check) => checkFields(operand, '$addFields', (value) => check.expression(value)),
  $set: (operand, check) => checkFields(operand, '$set', (value) => check.expression(value)),
  $unset: (operand) => {
    const paths: readonly unknown[] = [operand].flat();
    if (paths.length === 0 || !paths.every((path) => typeof path === 'string')) throw invalid('$unset needs paths');
    paths.forEach((path) => parsePath(path as string, '$unset'));
  },
  $group: (operand, check) => {
    if (!isPlainObject(operand) || !('_id' in operand)) throw invalid('$group needs an _id');
    check.expression(operand['_id']);
    checkOutput(operand, check, '_id');
  },
  $sort: (operand) => {
    if (!isPlainObject(operand) || Object.keys(operand).length === 0) throw invalid('$sort needs an object');
    readSort(operand);
  },
  $limit: (operand) => checkWhole(operand, '$limit', 1),
  $skip: (operand) => checkWhole(operand, '$skip', 0),
  $count: (operand) => {
    if (typeof operand !== 'string' || operand.includes('.')) throw invalid('$count needs the name of a field');
    if (operand === '_id') throw invalid('$count cannot be named _id');
    parsePath(operand, '$count');
  },
  $unwind: (operand) => {
    const path = isPlainObject(operand) ? operand['path'] : operand;
    if (typeof path !== 'string' || !path.startsWith('$')) throw invalid('$unwind needs a path that starts with $');
    parsePath(path.slice(1), '$unwind');
    const index = isPlainObject(operand) ? operand['includeArrayIndex'] : undefined;
    if (index !== undefined) parsePath(String(index), '$unwind');
  },
  $bucket: (operand, check) => {
    if (!isPlainObject(operand) || !Array.isArray(operand['boundaries']) || operand['boundaries'].length < 2) throw invalid('$bucket needs groupBy and boundaries');
    check.expression([operand['groupBy'], operand['boundaries'], operand['default']]);
    checkOutput(operand['output'] ?? {}, check);
  },
  $bucketAuto: (operand, check) => {
    if (!isPlainObject(operand)) throw invalid('$bucketAuto needs groupBy and buckets');
    checkWhole(operand['buckets'], '$bucketAuto', 1);
    check.expression(operand['groupBy']);
    checkOutput(operand['output'] ?? {}, check);
  },
} as const satisfies Record<string, StageCheck>;

function checkFields(operand: unknown, stage: string, checkValue: (value: unknown) => void): void {
  if (!isPlainObject(operand) || Object.keys(operand).length === 0) throw invalid(`${stage} needs an object of fields`);
  for (const [key, value] of Object.entries(operand)) {
    parsePath(key, stage);
    checkValue(value);
  }
}

function checkOutput(operand: unknown, check: ExpressionChecker, except?: string): void {
  if (!isPlainObject(operand)) throw invalid('output must be an object of accumulators');
  for (const [field, accumulator] of Object.entries(operand)) {
    if (field === except) continue;
    if (field.includes('.')) throw invalid(`${field}: the name of a result has no dot`);
    parsePath(field, 'pipeline');
    check.accumulator(accumulator, field);
  }
}

function checkWhole(operand: unknown, stage: string, least: number): void {
  if (!Number.isSafeInteger(operand) || (operand as number) < least) throw invalid(`${stage} needs a whole number, ${least} or more`);
}

/** A later `$match` runs in this process: no regular expressions there, since JavaScript's can take for ever. */
function refuseInMemory(condition: Condition): void {
  if (condition.kind === 'text') throw invalid('$text is allowed in the first $match only');
  if (condition.kind === 'field') refuseTestInMemory(condition.test);
  else condition.of.forEach(refuseInMemory);
}

function refuseTestInMemory(test: Test): void {
  switch (test.kind) {
    case 'regex':
      throw invalid('$regex is allowed in the leading $match stages only');
    case 'elemMatch':
      return refuseInMemory(test.condition);
    case 'not':
    case 'elemMatchValue':
      return refuseTestInMemory(test.test);
    case 'allOf':
      return test.of.forEach(refuseTestInMemory);
    default:
      return undefined;
  }
}
