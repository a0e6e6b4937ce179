import os from 'node:os';

/** Node's own modules are the same in every world: what is kept on one tells how often this module was evaluated in the process. */
const kept = os as typeof os & { loadsOfThis?: number };
kept.loadsOfThis = (kept.loadsOfThis ?? 0) + 1;

export const loads = (): number | undefined => kept.loadsOfThis;
