/** What one pipeline may take of this process, beside its minute (`AGGREGATE_TIMEOUT_MS`) and what an answer weighs (`ANSWER_BYTES`). */

/** Rows that are worked at before the next of them are asked for, and before the deadline is looked at. */
export const AT_ONCE = 100;

/** What the stages of a pipeline hold at a time, those that need all rows before they give one; MongoDB's own bound is 100 MB. */
export const MAX_HELD_BYTES = 64 * 1024 ** 2;

/** Groups that a store gives at once; of more each is made here, from documents as they come. */
export const MOST_GROUPS = 100_000;

/** Rows that are sorted in one go: some milliseconds, and some megabytes. */
export const SORT_RUN = { rows: 2_000, bytes: 8 * 1024 ** 2 } as const;

/** Of what some rows (`AT_ONCE`) become: values behind stages that can make more of them than they were given, rows that are unwound, and elements of a joined list. */
export const GROWTH = { values: 20_000_000, rows: 1_000_000, elements: 1_000_000 } as const;
