import { Injectable } from '@nestjs/common';
import { type RequestContext, RequestPlaces } from '@twinyard/auth';
import { eachInTurn, invalidField, isRefusal, notFound, outcomeOf } from '@twinyard/conventions';
import { type DocumentTx, DocumentStore } from '@twinyard/documents';
import { type EventOrigin, type NewEvent, Outbox } from '@twinyard/events';
import { FailedMember, type GroupBounds, GroupCommit, type Outcome } from '@twinyard/service-kit';
import { encryptionOf, ItemEncryption } from '../encryption/item-encryption';
import type { Place } from '../nameditems/item-access';
import type { VersionCounters } from '../versions/version';
import { SensorMemory } from '../readings/sensors/sensor-memory';
import { VersionsRepository } from '../versions/versions.repository';
import { readingsWritten, relatedItemsWritten, type Written } from './related-items.events';

/** By how much something grew or, negative, shrank. */
export interface Growth {
  readonly count: number;
  readonly bytes: number;
}

export interface Effect<T> {
  readonly answer: T;
  /** Absent: related items were not touched. */
  readonly items?: Written & { readonly growth: Growth };
  readonly readings?: Written & { readonly growth: Growth };
}

/** A write that was looked at as far as that goes outside of a transaction; `write` may be one of many in it. */
export interface PreparedWrite<T> {
  /** As in `WriteOptions`. */
  readonly alsoLock: readonly string[];
  write(tx: DocumentTx): Promise<Effect<T>>;
}

/**
 * Writes of one kind that the store does as one. What is refused has written nothing; an error is one of all of them.
 */
export interface JointWrite<I, T> {
  /** Of one version, in the order in which they came, each with its outcome. */
  writeTogether(tx: DocumentTx, place: Place, inputs: readonly I[]): Promise<readonly Outcome<Effect<T>>[]>;
}

/** How a small write may be done together with others of its kind. */
export interface Joint {
  readonly by: JointWrite<unknown, unknown>;
  readonly input: unknown;
}

export const jointly = <I, T>(by: JointWrite<I, T>, input: I): Joint => ({ by, input });

/** How something ended. An outage is not an outcome of one: it is thrown. */
export async function settled<T>(work: Promise<T>): Promise<Outcome<T>> {
  const outcome = await outcomeOf(work);
  return isRefusal(outcome) ? { status: 'rejected', reason: outcome } : { status: 'fulfilled', value: outcome };
}

/** For those of a joint write of which one has to follow the other. */
export async function eachAlone<I, T>(inputs: readonly I[], write: (input: I) => Promise<Effect<T>>): Promise<Outcome<Effect<T>>[]> {
  return (await eachInTurn(inputs, write)).map((value) => ({ status: 'fulfilled', value }));
}

export interface WriteOptions<T> {
  /** Versions that must not go away meanwhile: targets of relations. */
  readonly alsoLock?: readonly string[];
  /** Behind the write in the transaction: ends a durable request with its answer, or holds it. */
  readonly finish?: ((tx: DocumentTx, answer: T) => Promise<void>) | undefined;
  /** Of a small write, about what it holds in bytes: it may share a transaction with others. Absent: it has one of its own. */
  readonly weight?: number | undefined;
  readonly joint?: Joint | undefined;
  /** The request that asks the database for nothing more behind this write: where another leads the transaction that it shares, it gives its place to the next. */
  readonly lastOf?: RequestContext;
}

interface Write extends Pick<WriteOptions<unknown>, 'finish' | 'joint'> {
  readonly origin: EventOrigin;
  readonly place: Place;
  readonly alsoLock: readonly string[];
  readonly work: (tx: DocumentTx) => Promise<Effect<unknown>>;
}

/** What is about more than these has a transaction of its own: to weigh it costs more than there is to gain. */
const MOST_SMALL_ROWS = 100;

const MOST_SMALL_BYTES = 256 * 1024;

/** Versions that a write may lock besides its own and be a small one: those of a group are locked for all of it. */
const MOST_SMALL_LOCKS = 4;

/** About what a write of these holds in bytes, for `WriteOptions`; nothing where it is not a small one. `links`: each is looked up as a row is. */
export function weightOf(rows: readonly unknown[], links = 0): number | undefined {
  if (rows.length + links > MOST_SMALL_ROWS) return undefined;
  let weight = 0;
  for (const row of rows) {
    weight += JSON.stringify(row).length;
    if (weight > MOST_SMALL_BYTES) return undefined;
  }
  return weight;
}

/** The weight of what shares its transaction with nothing. */
const ALONE = Number.POSITIVE_INFINITY;

/** The first namespace of a collection may change between two writes, and with it whose key they seal under. */
const groupOf = ({ item, versionId }: Pick<Place, 'item' | 'versionId'>) => `${versionId} ${encryptionOf(item).encryptedIn ?? ''}`;

/** What small writes of one version share a transaction; more of them would keep the first waiting for the last. */
const TOGETHER: GroupBounds = { members: 128, weight: 4_000_000 };

/**
 * The one way in which the content of a collection version changes: under the version's lock, with its counters and the event in the same
 * transaction. All of a request or nothing. Small writes that come while others are under way share the next transaction (`GroupCommit`), in the
 * place of the first of them: so all that come at once can share it, and not only those that have places.
 */
@Injectable()
export class CollectionWrites {
  private readonly groups = new GroupCommit<Write, unknown>(TOGETHER, (writes) => this.commit(writes));

  constructor(
    private readonly store: DocumentStore,
    private readonly versions: VersionsRepository,
    private readonly outbox: Outbox,
    private readonly encryption: ItemEncryption,
    private readonly sensors: SensorMemory,
    private readonly places: RequestPlaces,
  ) {}

  run<T>(origin: EventOrigin, place: Place, work: (tx: DocumentTx) => Promise<Effect<T>>, options: WriteOptions<T> = {}): Promise<T> {
    const { alsoLock = [], weight = ALONE, joint, lastOf } = options;
    const write: Write = { origin, place, alsoLock, work, joint, finish: options.finish as Write['finish'] };
    return this.groups.run(groupOf(place), write, alsoLock.length > MOST_SMALL_LOCKS ? ALONE : weight, lastOf && (() => this.places.giveBack(lastOf))) as Promise<T>;
  }

  /** How many writes into a place have come and not ended. */
  pending(place: Pick<Place, 'item' | 'versionId'>): number {
    return this.groups.pending(groupOf(place));
  }

  /** Those of a group are of one version and encrypted alike. */
  private async commit(writes: readonly Write[]): Promise<readonly Outcome<unknown>[]> {
    const [{ place }] = writes as [Write];
    const { outcomes, hasMade } = await this.encryption.ready(encryptionOf(place.item), () => this.store.transaction((tx) => this.writeAll(tx, place, writes)));
    if (hasMade && place.item._itemClass === 'NamedTelemetryCollection') this.sensors.sensorsWereMade();
    return outcomes;
  }

  private async writeAll(tx: DocumentTx, place: Place, writes: readonly Write[]): Promise<{ readonly outcomes: readonly Outcome<unknown>[]; readonly hasMade: boolean }> {
    const before = await this.lock(tx, place, writes.flatMap(({ alsoLock }) => alsoLock));
    const tally = new Tally(before);
    const outcomes: Outcome<unknown>[] = [];
    for (const run of runsOf(writes)) {
      const ended = await this.effectsOf(tx, place, run, outcomes.length);
      for (const [index, outcome] of ended.entries()) outcomes.push(await this.conclude(tx, tally, run[index] as Write, outcome));
    }
    if (tally.counters !== before) await this.versions.putCounters(tx, tally.counters);
    await this.outbox.append(tx, ...tally.events);
    return { outcomes, hasMade: tally.hasMade };
  }

  private async effectsOf(tx: DocumentTx, place: Place, run: readonly Write[], before: number): Promise<readonly Outcome<Effect<unknown>>[]> {
    const [{ work, joint }] = run as [Write];
    if (run.length > 1 && joint) return joint.by.writeTogether(tx, place, run.map((write) => write.joint?.input));
    try {
      return [{ status: 'fulfilled', value: await work(tx) }];
    } catch (error) {
      // What the store may mend by doing the whole again stays as it is.
      throw isRefusal(error) ? new FailedMember(before, error) : error;
    }
  }

  private async conclude(tx: DocumentTx, tally: Tally, { origin, place, finish }: Write, outcome: Outcome<Effect<unknown>>): Promise<Outcome<unknown>> {
    if (outcome.status === 'rejected') return outcome;
    tally.add(origin, asItLies(place, tally.counters), outcome.value);
    await finish?.(tx, outcome.value.answer);
    return { status: 'fulfilled', value: outcome.value.answer };
  }

  /** Answers with the counters of the version, which nobody else changes until the transaction ends. */
  private async lock(tx: DocumentTx, { versionId }: Place, others: readonly string[]): Promise<VersionCounters> {
    const gone = others.length === 0 ? [] : await this.versions.lock(tx, [versionId, ...others]);
    if (gone.includes(versionId)) throw notFound('version', versionId);
    if (gone.length > 0) throw invalidField('_relatedUserItemDbId', `${gone[0]} does not exist any more`);
    const counters = await (others.length === 0 ? this.versions.lockCounters(tx, versionId) : this.versions.counters(tx, versionId));
    if (counters === undefined) throw notFound('version', versionId);
    return counters;
  }
}

/** What the writes of a transaction come to: the counters after each, and its events. */
class Tally {
  readonly events: NewEvent[] = [];
  /** Whether there are new items. */
  hasMade = false;

  constructor(public counters: VersionCounters) {}

  add(origin: EventOrigin, place: Place, { items, readings }: Effect<unknown>): void {
    if (!didChange(items) && !didChange(readings)) return;
    this.hasMade ||= didChange(items) && items.verb === 'created';
    this.counters = grow(this.counters, growthOf(items), growthOf(readings));
    if (didChange(items)) this.events.push(relatedItemsWritten(place, items, this.counters, origin));
    if (didChange(readings)) this.events.push(readingsWritten(place, readings, this.counters, origin));
  }
}

/** Neighbours that are done as one, and each other write by itself. */
function runsOf(writes: readonly Write[]): Write[][] {
  const runs: Write[][] = [];
  for (const write of writes) {
    const last = runs.at(-1);
    if (write.joint && write.joint.by === last?.[0]?.joint?.by) last.push(write);
    else runs.push([write]);
  }
  return runs;
}

/** The item may have moved since it was looked up: whoever counts by namespace is to hear where it is. */
const asItLies = (place: Place, { namespaces }: VersionCounters): Place => (namespaces === undefined ? place : { ...place, item: { ...place.item, _namespaces: namespaces } });

const didChange = (written: Written | undefined): written is Written => written !== undefined && written.changed > 0;
const growthOf = (written: { readonly growth: Growth } | undefined): Growth => written?.growth ?? { count: 0, bytes: 0 };

const grow = (before: VersionCounters, items: Growth, readings: Growth): VersionCounters => ({
  ...before,
  relatedItemsCount: before.relatedItemsCount + items.count,
  relatedItemsBytes: before.relatedItemsBytes + items.bytes,
  readingsCount: before.readingsCount + readings.count,
  timeSeriesSize: before.timeSeriesSize + readings.bytes,
});
