import { deltasBetween } from './contribution';
import type { Measurement, Restated } from './measurement';
import { SeriesChanges } from './series-changes';
import type { Statement } from './subjects';

/** A statement of an event: with the event's number, and the hour in which it happened. */
export interface DatedStatement {
  readonly statement: Statement;
  readonly sequence: number;
  readonly hour: Date;
}

export interface KnownFacts {
  readonly measurements: readonly Measurement[];
  /** Up to which event number a rebuild has taken an owner over. */
  readonly restatements: ReadonlyMap<string, number>;
  readonly purged: ReadonlySet<string>;
}

/** Takes statements one after the other, in memory: what is known of all their things was read, and locked, before. */
export class Ledger {
  readonly changes = new SeriesChanges();
  private readonly things: Map<string, Measurement>;
  private readonly restated = new Map<string, Restated>();

  constructor(private readonly facts: KnownFacts) {
    this.things = new Map(facts.measurements.map((measurement) => [measurement.subject, measurement]));
  }

  take({ statement, sequence, hour }: DatedStatement): void {
    const { owner, namespaces, endsParts = [], endsOwner } = statement;
    for (const stated of [statement, ...endsParts.map((subject) => ({ subject, owner, namespaces, contributions: [] }))]) this.state(hour, stated, sequence);
    if (endsOwner !== true) return;
    for (const owned of [...this.things.values()].filter((thing) => thing.owner === owner && thing.contributions.length > 0)) {
      this.replace(hour, owned, { ...owned, sequence, contributions: [] });
    }
  }

  /** All that says something else now, in the order of their names. */
  replaced(): Restated[] {
    return [...this.restated.values()].filter((restated) => !isNowhere(restated)).sort((a, b) => (a.subject < b.subject ? -1 : 1));
  }

  /** What is not to be known any more: it was told of purged namespaces alone, or all that was told of it was outdated. */
  forgotten(): string[] {
    return [...this.things.values()].filter((thing) => thing.sequence === 0 || (this.restated.has(thing.subject) && isNowhere(thing))).map(({ subject }) => subject);
  }

  /** A statement that is older than the last one known says nothing any more. */
  private state(hour: Date, { subject, owner, namespaces, contributions }: Statement, sequence: number): void {
    const last = this.things.get(subject);
    // A purge may forget a thing before it is locked. The event comes again.
    if (last === undefined) throw new Error(`${subject} was forgotten in between`);
    if (sequence <= last.sequence || this.isOutdated(owner, sequence)) return;
    const isKept = (namespace: string) => !this.facts.purged.has(namespace);
    this.replace(hour, last, { sequence, namespaces: namespaces.filter(isKept), contributions: contributions.filter(({ namespace }) => isKept(namespace)) });
  }

  /** Whether the owner was deleted by a later event, or a rebuild has seen it later: what comes late about its parts says nothing any more. */
  private isOutdated(owner: string, sequence: number): boolean {
    const restatement = this.facts.restatements.get(owner);
    return (restatement !== undefined && restatement >= sequence) || ownersOf(owner).some((subject) => {
      const own = this.things.get(subject);
      return own !== undefined && own.contributions.length === 0 && own.sequence > sequence;
    });
  }

  private replace(hour: Date, last: Measurement, next: Pick<Measurement, 'sequence' | 'namespaces' | 'contributions'>): void {
    this.changes.add(hour, deltasBetween(last.contributions, next.contributions));
    const firstHour = this.restated.get(last.subject)?.firstHour ?? hour;
    const restated = { ...next, subject: last.subject, owner: last.owner, firstHour, lastHour: hour };
    this.restated.set(last.subject, restated);
    this.things.set(last.subject, restated);
  }
}

const isNowhere = ({ namespaces }: Measurement) => namespaces.length === 0;

/** Which things an owner may be itself. */
export const ownersOf = (owner: string): string[] => [`file:${owner}`, `item:${owner}`];
