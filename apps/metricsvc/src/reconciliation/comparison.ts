import { type Contribution, deltasBetween, type SeriesDelta } from '../measurements/contribution';
import type { Restatement } from '../rebuild/restatements.repository';
import { type Known, UNKNOWN } from './reconciliation.repository';
import type { Suspect } from './reconciliation-state';

const HOUR_MS = 3_600_000;

/** A change of a series from an hour on. */
export interface DatedDelta extends SeriesDelta {
  /** ISO 8601 */
  readonly hour: string;
}

/** Those that are not measured as they are told of. */
export function differing(told: readonly Restatement[], known: ReadonlyMap<string, Known>): Suspect[] {
  return told.flatMap((restatement) => {
    const here = known.get(restatement.owner) ?? UNKNOWN;
    return isMeasured(restatement, here) ? [] : [{ key: restatement.owner, told: restatement.sequence, known: here.sequence }];
  });
}

function isMeasured({ subjects }: Restatement, known: Known): boolean {
  const adding = subjects.filter(({ contributions }) => contributions.length > 0);
  return adding.length === known.subjects.size && adding.every(({ subject, contributions }) => textOf(contributions) === textOf(known.subjects.get(subject) ?? []));
}

/** The same for the same contributions in whatever order. */
const textOf = (contributions: readonly Contribution[]): string =>
  JSON.stringify(contributions.map(({ metric, namespace, outer, inner, value }) => JSON.stringify([metric, namespace, outer, inner, value])).sort());

/** Whether the service has changed something of it within the last hour: the event of that may still wait in its outbox. */
export const isFresh = ({ subjects }: Restatement, now: Date): boolean => subjects.some(({ changedAt }) => Date.parse(changedAt) > now.getTime() - HOUR_MS);

/** What makes of what is known what is told: from the hour in which each thing was changed last; of things that are gone, nobody knows since when, from the present one. */
export function correctionOf({ subjects }: Restatement, known: Known, now: Date): DatedDelta[] {
  const told = new Set(subjects.map(({ subject }) => subject));
  const gone = [...known.subjects].filter(([subject]) => !told.has(subject)).flatMap(([, contributions]) => contributions);
  return [
    ...subjects.flatMap(({ subject, contributions, changedAt }) => datedIn(hourOf(Date.parse(changedAt)), deltasBetween(known.subjects.get(subject) ?? [], contributions))),
    ...datedIn(hourOf(now.getTime()), deltasBetween(gone, [])),
  ];
}

/** Points stand on whole hours, UTC (contract 4). */
const hourOf = (ms: number) => new Date(Math.floor(ms / HOUR_MS) * HOUR_MS).toISOString();

const datedIn = (hour: string, deltas: readonly SeriesDelta[]): DatedDelta[] => deltas.map((delta) => ({ ...delta, hour }));
