import { limitExceeded } from '@twinyard/conventions';
import { evalExpr } from 'mingo/core';
import { $concatArrays } from 'mingo/operators/expression';
import type { Iterator } from 'mingo/lazy';
import type { Any, AnyObject, Options } from 'mingo/types';
import { GROWTH } from './bounds';
import type { StageName } from './parse-pipeline';

/** A text counts as a value for every so many characters. */
const CHARACTERS = 8;

const GROWING: ReadonlySet<StageName> = new Set<StageName>(['$project', '$addFields', '$set', '$unwind']);
export const mayGrow = (stage: StageName): boolean => GROWING.has(stage);

/**
 * What a pipeline makes is counted row by row as it comes: thirty stages that each double a text, a list or an object, or two lists that
 * are unwound against each other, would else hold the whole service, and end it.
 */
export class Growth {
  private values = 0;
  private rows = 0;

  /** Of the next rows: what those before became has gone on. */
  begin(): void {
    [this.values, this.rows] = [0, 0];
  }

  row(row: unknown, isUnwound: boolean): void {
    if (isUnwound && (this.rows += 1) > GROWTH.rows) throw limitExceeded(`A pipeline unwinds at most ${GROWTH.rows} rows`);
    this.count(row);
  }

  /** Stops at the limit, so that what holds one value many times costs no more. */
  private count(value: unknown): void {
    this.values += typeof value === 'string' ? 1 + value.length / CHARACTERS : 1;
    if (this.values > GROWTH.values) throw limitExceeded('The pipeline makes too many values');
    if (typeof value !== 'object' || value === null) return;
    for (const inner of Object.values(value)) this.count(inner);
  }
}

/** Stands behind a stage that may grow. */
export const counted = (rows: Iterator, { growth, isUnwound }: { readonly growth: Growth; readonly isUnwound: boolean }): Iterator =>
  rows.map((row) => {
    growth.row(row, isUnwound);
    return row;
  });

export const concatArrays = (document: AnyObject, operand: Any, options: Options): Any => {
  const lists = [operand].flat(1).map((expression) => evalExpr(document, expression as Any, options));
  const length = lists.reduce<number>((sum, list) => sum + (Array.isArray(list) ? list.length : 0), 0);
  if (length > GROWTH.elements) throw limitExceeded(`$concatArrays makes lists of at most ${GROWTH.elements} elements`);
  return $concatArrays(document, operand, options);
};
