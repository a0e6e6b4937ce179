import { invalidField, type QueryValues, textParameter } from '@twinyard/conventions';
import type { Reading } from '@twinyard/documents';
import { merged } from '../storage/merged';

/** What becomes of a reading whose item has one at its instant already (contract 5): it takes its place, adds its own fields to it, or is left out. */
export const CONFLICT_RULES = ['replace', 'merge', 'keep'] as const;
export type ConflictRule = (typeof CONFLICT_RULES)[number];

/** `undefined` without the parameter: they replace, and nobody asks how many. */
export function parseConflictRule(query: QueryValues): ConflictRule | undefined {
  const text = textParameter(query, 'onConflict') || undefined;
  if (text === undefined) return undefined;
  const rule = CONFLICT_RULES.find((one) => one === text);
  if (rule === undefined) throw invalidField('onConflict', `must be ${CONFLICT_RULES.join(', ')}`);
  return rule;
}

/** How many of a request's readings met another at their instant, and what became of them. Those of one instant within it count as one. */
export interface WrittenReadings {
  readonly _new: number;
  readonly _replaced: number;
  readonly _merged: number;
  readonly _kept: number;
}

export const NONE_WRITTEN: WrittenReadings = { _new: 0, _replaced: 0, _merged: 0, _kept: 0 };

export interface Resolved {
  /** What is to be written, each instant of an item once. */
  readonly readings: readonly Reading[];
  readonly written: WrittenReadings;
}

/**
 * What is to be written where readings that are there do not just give way.
 * @param there of the same items at the same instants.
 */
export function resolve(sent: readonly Reading[], there: readonly Reading[], rule: Exclude<ConflictRule, 'replace'>): Resolved {
  const known = new Map(there.map((reading) => [keyOf(reading), reading]));
  const wanted = new Map<string, Reading>();
  for (const reading of sent) {
    const key = keyOf(reading);
    const before = wanted.get(key) ?? known.get(key);
    if (before === undefined) wanted.set(key, reading);
    else if (rule === 'merge') wanted.set(key, merged(before, reading) as Reading);
  }
  const instants = new Set(sent.map(keyOf));
  const met = [...instants].filter((key) => known.has(key)).length;
  return { readings: [...wanted.values()], written: { ...NONE_WRITTEN, _new: instants.size - met, [rule === 'merge' ? '_merged' : '_kept']: met } };
}

const keyOf = ({ _ts, _tsMetadata: { _telItemId } }: Reading) => `${_ts} ${_telItemId}`;
