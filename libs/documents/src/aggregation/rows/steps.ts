import type { AnyObject } from 'mingo/types';
import { parseFilter } from '../../filter/parser';
import { parseSort } from '../../sort';
import { bucketStages } from '../buckets';
import { datePathsBehind } from '../date-paths';
import { Growth, mayGrow } from '../growth';
import { meets } from '../match-in-memory';
import { rowByRow } from '../mingo-operators';
import type { Stage, StageName } from '../parse-pipeline';
import { sortValuesOf } from '../sorts/sort-values';
import { type SortCircumstances, SortedRows } from '../sorts/sorted-rows';
import { automaticBuckets } from './automatic-buckets';
import { GroupRows } from './group-rows';
import { bytesOf } from './held-rows';
import type { Pace } from './pace';

export type Rows = AsyncIterable<readonly AnyObject[]>;
export type Step = (rows: Rows) => AsyncGenerator<readonly AnyObject[], void>;
type IsDate = (path: string) => boolean;

/** What makes one row of each: these are run together. */
const ONE_OF_EACH: ReadonlySet<StageName> = new Set<StageName>(['$project', '$addFields', '$set', '$unset']);

/** Stages as steps that take rows as they come and give them on some at a time (`AT_ONCE`); what needs all of them holds what it needs (`HeldRows`), or sorts it on disk. Errors: `invalid` for what does not go together. */
export function stepsOf(pipeline: readonly Stage[], isDate: IsDate, circumstances: SortCircumstances): Step[] {
  const { pace } = circumstances;
  const steps: Step[] = [];
  let isDateThere = isDate;
  let together: Stage[] = [];
  const flush = () => {
    if (together.length > 0) steps.push(eachRow(together, pace));
    together = [];
  };
  for (const [place, stage] of pipeline.entries()) {
    if (ONE_OF_EACH.has(stage.name)) together.push(stage);
    else {
      flush();
      steps.push(...stepsOfStage(stage, { ...circumstances, isDate: isDateThere, most: mostBehind(pipeline.slice(place + 1)) }));
    }
    isDateThere = datePathsBehind(stage, isDateThere);
  }
  flush();
  return steps;
}

/** How many rows are wanted by the `$skip` and `$limit` that follow. */
function mostBehind(rest: readonly Stage[]): number {
  const [first, second] = rest;
  if (first?.name === '$limit') return first.operand as number;
  return first?.name === '$skip' && second?.name === '$limit' ? (first.operand as number) + (second.operand as number) : Number.POSITIVE_INFINITY;
}

interface Circumstances extends SortCircumstances {
  readonly isDate: IsDate;
  readonly most: number;
}

function stepsOfStage(stage: Stage, circumstances: Circumstances): readonly Step[] {
  const { pace, isDate } = circumstances;
  const operand = stage.operand as AnyObject;
  switch (stage.name) {
    case '$match':
      return [matching(operand, pace)];
    case '$limit':
      return [limited(stage.operand as number)];
    case '$skip':
      return [skipped(stage.operand as number)];
    case '$count':
      return [counting(stage.operand as string)];
    case '$sort':
      return [sorted(operand, circumstances)];
    case '$group':
      return [grouped(operand, circumstances)];
    case '$bucket':
      return bucketStages(operand, isDate).map((inner) => ('$group' in inner ? grouped(inner['$group'] as AnyObject, circumstances) : sorted(inner['$sort'] as AnyObject, circumstances)));
    case '$bucketAuto':
      return [automaticBuckets(operand, circumstances)];
    case '$unwind':
    case '$project':
    case '$addFields':
    case '$set':
    case '$unset':
      return [eachRow([stage], pace)];
  }
}

/** A row may become many: what it becomes goes on before more is made of it. */
function eachRow(stages: readonly Stage[], pace: Pace): Step {
  const growth = new Growth();
  const run = rowByRow(stages.flatMap(({ name, operand }) => [{ [name]: operand }, ...(mayGrow(name) ? [{ $counted: { growth, isUnwound: name === '$unwind' } }] : [])]));
  return async function* each(rows) {
    for await (const some of rows) {
      growth.begin();
      yield* pace.slices(run(some));
    }
  };
}

function matching(operand: AnyObject, pace: Pace): Step {
  const { condition } = parseFilter(operand);
  return async function* match(rows) {
    for await (const some of rows) {
      const found: AnyObject[] = [];
      for (const row of some) {
        if (pace.isDue) await pace.rest();
        if (meets(row, condition)) found.push(row);
      }
      if (found.length > 0) yield found;
    }
  };
}

const limited = (most: number): Step => async function* limit(rows) {
  let left = most;
  for await (const some of rows) {
    yield some.slice(0, left);
    left -= some.length;
    if (left <= 0) return;
  }
};

const skipped = (count: number): Step => async function* skip(rows) {
  let left = count;
  for await (const some of rows) {
    if (left < some.length) yield some.slice(left);
    left = Math.max(0, left - some.length);
  }
};

/** Of nothing there is no row. */
const counting = (field: string): Step => async function* count(rows) {
  let found = 0;
  for await (const some of rows) found += some.length;
  if (found > 0) yield [{ [field]: found }];
};

const sorted = (operand: AnyObject, { most, ...circumstances }: Circumstances): Step => {
  const { pace } = circumstances;
  const keys = parseSort(operand);
  const addAll = async (all: SortedRows, rows: Rows) => {
    for await (const some of rows) {
      for (const row of some) {
        if (pace.isDue) await pace.rest();
        await all.add({ row, values: sortValuesOf(row, keys), bytes: bytesOf(row) });
      }
    }
  };
  return async function* sort(rows) {
    const all = new SortedRows(keys.map(({ direction }) => direction), circumstances, most);
    try {
      await addAll(all, rows);
      for await (const some of all.inOrder()) yield some.map(({ row }) => row);
    } finally {
      await all.close();
    }
  };
};

const grouped = (operand: AnyObject, { held, pace }: Circumstances): Step => async function* group(rows) {
  const groups = new GroupRows(operand, held, pace);
  for await (const some of rows) await groups.add(some);
  yield* pace.slices(groups.all());
};
