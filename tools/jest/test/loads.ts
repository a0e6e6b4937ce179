import os from 'node:os';

/** Node's own modules are the same in every world: what is kept on one tells how often this module was evaluated in the process. */
const kept = os as typeof os & { loadsOfThis?: number };
kept.loadsOfThis = (kept.loadsOfThis ?? 0) + 1;

export const loads = (): number | undefined => kept.loadsOfThis;

/** As class-validator and TypeORM keep what they know of classes: on the global object, made by whoever comes first. */
const holder = globalThis as typeof globalThis & { worldsThatShare?: number };
holder.worldsThatShare = (holder.worldsThatShare ?? 0) + 1;

export const worldsThatShare = (): number | undefined => holder.worldsThatShare;
