import type { AggregateState, PurgeStore } from '@twinyard/events';
import type { SqlTx } from '@twinyard/service-kit';
import { type MeasuredType, statementOf } from '../measurements/subjects';
import type { Restated, Restatement } from './restatements.repository';

/** What a service tells of an aggregate, as what is measured of it. */
export function restatementOf({ key, sequence, resources }: AggregateState<MeasuredType>): Restatement {
  return {
    owner: key,
    sequence,
    subjects: resources.map(({ resource, madeAt, changedAt }) => {
      const { subject, namespaces, contributions } = statementOf({ event: 'resource.ResourceCreated', resource });
      return { subject, namespaces, contributions, madeAt, changedAt };
    }),
  };
}

/**
 * Another service may still be emptying a namespace that is purged: what it tells of that counts for nothing. What lies in no other is left
 * out, and so is an owner of nothing else.
 */
export async function withoutPurged(tx: SqlTx, purges: PurgeStore, restatements: readonly Restatement[]): Promise<Restatement[]> {
  const namespaces = new Set(restatements.flatMap(({ subjects }) => subjects.flatMap((subject) => subject.namespaces)));
  const purged = new Set(namespaces.size === 0 ? [] : await purges.purgedOf(tx, [...namespaces]));
  const isKept = (namespace: string) => !purged.has(namespace);
  const kept = (subject: Restated): Restated => ({
    ...subject, namespaces: subject.namespaces.filter(isKept), contributions: subject.contributions.filter(({ namespace }) => isKept(namespace)),
  });
  return restatements.flatMap(({ subjects, ...rest }) => {
    const left = subjects.map(kept).filter((subject) => subject.namespaces.length > 0);
    return left.length === 0 && subjects.length > 0 ? [] : [{ ...rest, subjects: left }];
  });
}
