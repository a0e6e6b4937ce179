/** What one pipeline may take of this process, beside its minute (`AGGREGATE_TIMEOUT_MS`) and what an answer weighs (`ANSWER_BYTES`). */

/** Rows that are worked at before the next of them are asked for, and before the deadline is looked at. */
export const AT_ONCE = 100;

/** What the stages of a pipeline hold at a time, those that need all rows before they give one; MongoDB's own bound is 100 MB. What is sorted goes on on disk. */
export const MAX_HELD_BYTES = 64 * 1024 ** 2;

/** Of it, what a sort always has, however much other stages hold: else it would write a run for every few rows. */
export const LEAST_SORT_PART = 1 / 8;

/** Groups that a store gives at once; of more each is made here, from documents as they come. */
export const MOST_GROUPS = 100_000;

/** Rows that are sorted in one go: some milliseconds, and some megabytes. */
export const SORT_RUN = { rows: 2_000, bytes: 8 * 1024 ** 2 } as const;

/** What the pipelines of one process have on disk at a time, unless `SORT_DISK_BYTES` says otherwise. */
export const SORT_DISK_BYTES = 8_000_000_000;
/** … and of it those of one tenant, unless `TENANT_SHARE` says otherwise. */
export const SORT_TENANT_SHARE = 0.6;

export interface JoinBounds {
  /** Runs on disk that are joined at a time. */
  readonly runs: number;
  /** What of them is in memory then; of two it is whatever they need. */
  readonly bytes: number;
  /** What is read of each at a time, and written; a row that is heavier as a whole. */
  readonly blockBytes: number;
}
/** Full runs come from as much memory as a pipeline may hold: so many of them are more than a disk takes. */
export const JOINED_RUNS: JoinBounds = { runs: 128, bytes: 32 * 1024 ** 2, blockBytes: 64 * 1024 };

/** Of what some rows (`AT_ONCE`) become: values behind stages that can make more of them than they were given, rows that are unwound, and elements of a joined list. */
export const GROWTH = { values: 20_000_000, rows: 1_000_000, elements: 1_000_000 } as const;
