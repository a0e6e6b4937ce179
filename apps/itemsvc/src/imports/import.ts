import type { StoredDocument } from '@twinyard/documents';
import type { ConflictRule } from '../readings/same-instants';
import type { CsvForm } from '../rows/csv-form';
import type { RowFormat } from '../rows/row';

/** What rows become. */
export const ROW_KINDS = ['relateditems', 'readings'] as const;
export type RowKindName = (typeof ROW_KINDS)[number];

/** `all`: every row or none. `rows`: those that are good, and a list of the others. */
export const IMPORT_MODES = ['all', 'rows'] as const;
export type ImportMode = (typeof IMPORT_MODES)[number];

export interface RefusedRow {
  readonly _line: number;
  readonly _reason: string;
}

/** How far the rows of a file are: changed in the transactions that write them, so that whoever goes on does none twice. */
export interface Checkpoint {
  /** All rows up to this line are through. */
  readonly line: number;
  /** Rows up to there. */
  readonly done: number;
  /** Made, or there already with the same content. */
  readonly created: number;
  readonly refusedCount: number;
  /** The first of them. */
  readonly refused: readonly RefusedRow[];
}

/** A file that is being taken in, or worked on. Its `_id` is that of the durable request. */
export interface ImportRecord extends StoredDocument {
  /** Of the collection, for purges. */
  readonly _namespaces: readonly string[];
  readonly itemId: string;
  readonly versionId: string;
  readonly kind: RowKindName;
  readonly format: RowFormat;
  readonly mode: ImportMode;
  /** Of CSV: what its sender said of it. */
  readonly form?: CsvForm;
  /** Of readings. */
  readonly onConflict?: ConflictRule;
  /** Its collection encrypts what has dotted names: nothing of the file lies plain in the store. */
  readonly isConfidential: boolean;
  /** False while the file is on its way. */
  readonly isWhole: boolean;
  /** When something of it arrived last, in epoch ms. */
  readonly touchedAt: number;
  /** Rows of the file; known when it is whole. */
  readonly total?: number;
  /** How often all of it was begun, where it must be written at once. */
  readonly tries: number;
  readonly checkpoint: Checkpoint;
}

export const AT_BEGIN: Checkpoint = { line: 0, done: 0, created: 0, refusedCount: 0, refused: [] };

/** Refused rows that are named; the others are counted. */
const MAX_NAMED = 1_000;
const MAX_REASON = 300;

export function withRefused<T extends Pick<Checkpoint, 'refused' | 'refusedCount'>>(before: T, more: readonly RefusedRow[]): T {
  if (more.length === 0) return before;
  const named = more.slice(0, MAX_NAMED - before.refused.length).map(({ _line, _reason }) => ({ _line, _reason: _reason.slice(0, MAX_REASON) }));
  return { ...before, refused: [...before.refused, ...named], refusedCount: before.refusedCount + more.length };
}

/** The end of an import (contract 2.3). */
export interface ImportOutcome {
  readonly _created: number;
  readonly _refused: readonly RefusedRow[];
  /** Refused rows that are not named. */
  readonly _refusedMore?: number;
}

export function toOutcome({ created, refused, refusedCount }: Pick<Checkpoint, 'created' | 'refused' | 'refusedCount'>): ImportOutcome {
  return { _created: created, _refused: refused, ...(refusedCount > refused.length && { _refusedMore: refusedCount - refused.length }) };
}
