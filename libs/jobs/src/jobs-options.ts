export interface JobsOptions {
  /** How many of one kind and namespace run at a time, in all processes together, where the kind says nothing itself. */
  readonly perNamespace: number;
  /** How many a process has in hand, of all kinds. */
  readonly atOnce?: number;
  /** How long the operator can look at what died. */
  readonly keepDeadDays: number;
  /** How long a handler that was told to stop may take for it: 5 s. */
  readonly graceMs?: number;
  /** How often all kinds are looked through, should a notice have got lost: every 15 s. */
  readonly lookMs?: number;
}

export const JOBS_OPTIONS = Symbol('jobs options');
