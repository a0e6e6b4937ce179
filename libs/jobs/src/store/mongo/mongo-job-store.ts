import { isDuplicateKey, LostRace, type MongoConnection, type MongoTx, type MongoUnitOfWork, translated, type Tx } from '@twinyard/service-kit';
import type { Collection, Filter } from 'mongodb';
import { type Claimed, type ClaimedJob, type ClaimTerms, type DeadJob, type Hold, JOB_STATES, type JobFilter, JobStore, type KindStatistics, type ListedJob, type NewJob, type Requeue } from '../job-store';
import { mongoOf } from '../own-transaction';
import { JOB_LEASES, type JobDocument, JOBS, type LeaseDocument } from './job-documents';
import { endAll, heldBy, putBack } from './job-endings';
import { chooseNext, endTurn, settleDue, settleSilent, take, takeTurn } from './mongo-claim';
import { statisticsOf } from './mongo-statistics';
import { dueState, eachByItself, jobsIn, leasesIn, reading, type Writes } from './mongo-writes';

/** How often what was done is tried to be ended while a transaction has it in hand. */
const ENDINGS = 3;
/** Of dead jobs of a kind that are removed at a time. */
const PRUNED = 500;

/** In the service's MongoDB database. Of two transactions that change one job at a time the second is refused, and looks again. */
export class MongoJobStore extends JobStore {
  private readonly connection: MongoConnection;
  private readonly jobs: Collection<JobDocument>;
  private readonly leases: Collection<LeaseDocument>;
  /** Where the next look through namespaces begins for what has fallen due in them, by kind. */
  private readonly reached = new Map<string, string>();
  private added = 0;

  /**
   * Claims are made without a transaction where others have some: the documents of one whose process was killed would be locked for a minute, and with
   * them the kind. A server without any shows what is not committed yet, so there a claim waits for its turn among all writers.
   */
  constructor(private readonly unitOfWork: MongoUnitOfWork, private readonly claimsApart = unitOfWork.connection.hasTransactions) {
    super();
    this.connection = unitOfWork.connection;
    this.jobs = this.connection.db.collection<JobDocument>(JOBS);
    this.leases = this.connection.db.collection<LeaseDocument>(JOB_LEASES);
  }

  override async enqueue(given: Tx, jobs: readonly NewJob[], { ifMissing } = { ifMissing: false }): Promise<void> {
    if (jobs.length === 0) return;
    const tx = mongoOf(given);
    const now = this.connection.now();
    const ids = jobs.map(({ id }) => id);
    const known = new Map((await jobsIn(tx).find({ _id: { $in: ids } }, tx.options).toArray()).map((job) => [job._id, job]));
    await tx.touch(JOBS, ids);
    const made = jobs.filter(({ id }) => !known.has(id)).map((job) => this.toDocument(job, now));
    if (made.length > 0) await raced(jobsIn(tx).insertMany(made, tx.options));
    for (const job of jobs) {
      const before = known.get(job.id);
      if (before !== undefined && !(ifMissing && before.state !== 'DEAD')) await enqueueAgain(tx, before, job, now);
    }
  }

  override async claim(terms: ClaimTerms, ended: readonly Hold[]): Promise<Claimed> {
    const claimed = await (this.claimsApart ? translated(this.claimBy(eachByItself(this.connection.db), terms, ended)) : this.unitOfWork.run((tx) => this.claimBy(tx, terms, ended)));
    await this.forgetLeases(ended.filter(({ id }) => !claimed.notEnded.includes(id)));
    return claimed;
  }

  override async renew(holds: readonly Hold[], leaseMs: number): Promise<ReadonlySet<string>> {
    const until = new Date(this.connection.now().getTime() + leaseMs);
    const ids = holds.map(({ id }) => id);
    await translated(this.leases.bulkWrite(holds.map(({ id, token }) => ({ updateOne: { filter: { _id: id, token }, update: { $set: { until } } } })), { ordered: false }));
    const tokens = new Map((await translated(this.leases.find({ _id: { $in: ids } }).toArray())).map(({ _id, token }) => [_id, token]));
    return new Set(holds.filter(({ id, token }) => tokens.get(id) !== token).map(({ id }) => id));
  }

  /** The lease is renewed beside the transaction, since it is a document of its own. */
  override async hold(given: Tx, hold: Hold, leaseMs: number): Promise<boolean> {
    const tx = mongoOf(given);
    if ((await heldBy(tx, [hold])).length === 0 || (await this.renew([hold], leaseMs)).size > 0) return false;
    await tx.touch(JOBS, [hold.id]);
    // A change, so that whoever takes it over meanwhile is refused, or this transaction is.
    await jobsIn(tx).updateOne({ _id: hold.id }, { $set: { heldAt: this.connection.now() } }, tx.options);
    return true;
  }

  override async finish(given: Tx, hold: Hold): Promise<boolean> {
    return (await endAll(mongoOf(given), [hold], this.connection.now())).length === 1;
  }

  override async forget(given: Tx, hold: Hold): Promise<boolean> {
    const [ended] = await endAll(mongoOf(given), [hold], this.connection.now());
    return ended !== undefined && !ended.again;
  }

  override async requeue(given: Tx, hold: Hold, { delayMs, attempts, payload, cause, unread = 0 }: Requeue): Promise<boolean> {
    const tx = mongoOf(given);
    const [held] = await heldBy(tx, [hold]);
    if (held === undefined) return false;
    const now = this.connection.now();
    if (held.again) return putBack(tx, held, now);
    await tx.touch(JOBS, [hold.id]);
    const counted = { counted: held.attempts, uncounted: held.attempts - 1, fresh: 0 }[attempts];
    const fields = { state: delayMs > 0 ? 'WAITING' : 'READY', dueAt: new Date(now.getTime() + delayMs), attempts: counted, unread, ...(payload !== undefined && { payload }) } as const;
    await jobsIn(tx).updateOne({ _id: hold.id }, { $set: { ...fields, ...(cause !== undefined && { cause }) }, ...(cause === undefined && { $unset: { cause: 1 } }) }, tx.options);
    return true;
  }

  override async bury(given: Tx, hold: Hold, cause: string): Promise<boolean> {
    const tx = mongoOf(given);
    const [held] = await heldBy(tx, [hold]);
    if (held === undefined) return false;
    const now = this.connection.now();
    if (held.again) return putBack(tx, held, now).then(() => false);
    await tx.touch(JOBS, [hold.id]);
    await jobsIn(tx).updateOne({ _id: hold.id }, { $set: { state: 'DEAD', cause, diedAt: now } }, tx.options);
    return true;
  }

  override async look(kinds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const now = this.connection.now();
    const found = new Map<string, number>();
    for (const kind of kinds) {
      const { isMore, nextMs } = await translated(this.ahead(eachByItself(this.connection.db), kind, now));
      if (isMore || nextMs !== undefined) found.set(kind, isMore ? 0 : (nextMs ?? 0));
    }
    return found;
  }

  override statistics(): Promise<KindStatistics[]> {
    return translated(statisticsOf(this.jobs, this.connection.now()));
  }

  override async list(filter: JobFilter, limit: number): Promise<ListedJob[]> {
    const some = async (states: readonly ListedJob['state'][], most: number) =>
      (most === 0 ? [] : translated(this.jobs.find({ ...asked(filter), state: { $in: [...states] } }, { sort: { dueAt: 1, place: 1 }, limit: most, projection: { payload: 0 } }).toArray()));
    const running = await some(['RUNNING'], limit);
    const found = [...running, ...(await some(['READY', 'WAITING'], limit - running.length))];
    return found.map(({ _id: id, kind, namespace, state, attempts, dueAt, cause = null, requestId = null }) => ({ id, kind, namespace, state: state as ListedJob['state'], attempts, dueAt, cause, requestId }));
  }

  override async dead(filter: JobFilter, limit: number): Promise<DeadJob[]> {
    const found = await translated(this.jobs.find(deadOnes(filter), { sort: { diedAt: -1, place: -1 }, limit }).toArray());
    return found.map(({ _id: id, kind, namespace, attempts, cause = '', diedAt }) => ({ id, kind, namespace, attempts, cause, diedAt: diedAt as Date }));
  }

  override async replay(filter: JobFilter): Promise<number> {
    const { modifiedCount } = await translated(this.jobs.updateMany(deadOnes(filter), {
      $set: { state: 'READY', attempts: 0, dueAt: this.connection.now() }, $unset: { diedAt: 1, cause: 1, unread: 1 },
    }));
    return modifiedCount;
  }

  override async drop(filter: JobFilter): Promise<number> {
    return (await translated(this.jobs.deleteMany(deadOnes(filter)))).deletedCount;
  }

  override prune(before: Date, most: number): Promise<number> {
    return translated(this.pruneSome(before, most));
  }

  override async purge(namespace: string, limit: number): Promise<number> {
    const kinds = await translated(this.jobs.distinct('kind'));
    const found = await translated(this.jobs.find({ kind: { $in: kinds }, state: { $in: [...JOB_STATES] }, namespace }, { limit, projection: { _id: 1 } }).toArray());
    if (found.length === 0) return 0;
    const ids = found.map(({ _id }) => _id);
    return this.unitOfWork.run(async (tx) => {
      await tx.touch(JOBS, ids);
      return (await jobsIn(tx).deleteMany({ _id: { $in: ids }, namespace }, tx.options)).deletedCount;
    });
  }

  /** Its steps may end after each of them: what is not taken is still there, and what is taken has a lease. */
  private async claimBy(writes: Writes, terms: ClaimTerms, ended: readonly Hold[]): Promise<Claimed> {
    const { kind, slots, leaseMs } = terms;
    const notEnded = await this.endDone(writes, ended);
    if (slots === 0) return { jobs: [], isMore: false, notEnded };
    const token = await takeTurn(writes, kind, () => this.connection.now());
    try {
      const now = this.connection.now();
      this.reached.set(kind, await settleDue(writes, kind, now, this.reached.get(kind) ?? ''));
      await settleSilent(writes, kind, now);
      const taken = await take(writes, await chooseNext(writes, terms), { kind, token, until: new Date(now.getTime() + leaseMs) });
      return { jobs: taken.map((job) => toClaimed(job, now)), notEnded, ...(await this.ahead(writes, kind, now)) };
    } finally {
      await endTurn(writes, kind, token).catch(() => undefined);
    }
  }

  /** Resolves with the ids of those that a transaction has in hand. */
  private async endDone(writes: Writes, ended: readonly Hold[]): Promise<string[]> {
    if (ended.length === 0) return [];
    for (let tries = 0; ; tries += 1) {
      const held = await endAll(writes, ended, this.connection.now());
      if (held.length === 0 || tries === ENDINGS) return held.map(({ _id }) => _id);
    }
  }

  /** What was due at `now` and is still there somebody has in hand. */
  private async ahead(writes: Writes, kind: string, now: Date): Promise<Pick<Claimed, 'isMore' | 'nextMs'>> {
    const of = { ...reading(writes), projection: { _id: 1, dueAt: 1, until: 1 } };
    const [ready, due, silent, next, lease] = await Promise.all([
      jobsIn(writes).findOne({ kind, state: 'READY' }, of),
      jobsIn(writes).findOne({ kind, state: 'WAITING', dueAt: { $lte: now } }, of),
      leasesIn(writes).findOne({ kind, until: { $lt: now } }, of),
      jobsIn(writes).findOne({ kind, state: 'WAITING', dueAt: { $gt: now } }, { ...of, sort: { dueAt: 1 } }),
      leasesIn(writes).findOne({ kind, until: { $gte: now } }, { ...of, sort: { until: 1 } }),
    ]);
    const isMore = ready !== null || due !== null || silent !== null;
    const times = [next?.dueAt, lease?.until].flatMap((time) => (time === undefined ? [] : [time.getTime() - now.getTime()]));
    return times.length === 0 ? { isMore } : { isMore, nextMs: Math.min(...times) };
  }

  private async pruneSome(before: Date, most: number): Promise<number> {
    let removed = 0;
    for (const kind of await this.jobs.distinct('kind', { state: 'DEAD' })) {
      const dead = { kind, state: 'DEAD' as const };
      const limits = { limit: PRUNED, projection: { _id: 1 } };
      const aged = await this.jobs.find({ ...dead, diedAt: { $lt: before } }, { ...limits, sort: { diedAt: 1 } }).toArray();
      const beyond = await this.jobs.find(dead, { ...limits, sort: { diedAt: -1, place: -1 }, skip: most }).toArray();
      const ids = [...aged, ...beyond].map(({ _id }) => _id);
      if (ids.length > 0) removed += (await this.jobs.deleteMany({ ...dead, _id: { $in: ids } })).deletedCount;
    }
    return removed;
  }

  private toDocument({ id, kind, namespace, payload, dueAt = undefined, requestId }: NewJob, now: Date): JobDocument {
    const due = dueAt ?? now;
    return { _id: id, kind, namespace, payload, state: dueState(due, now), dueAt: due, place: (this.added += 1), attempts: 0, token: 0, requestId: requestId ?? null, createdAt: now };
  }

  /** Nobody waits for it: what stays is swept by whoever claims after its end. */
  private async forgetLeases(ended: readonly Hold[]): Promise<void> {
    if (ended.length === 0) return;
    await this.leases.deleteMany({ $or: ended.map(({ id, token }) => ({ _id: id, token })) }).catch(() => undefined);
  }
}

/** Due when the earlier of both was. */
async function enqueueAgain(tx: MongoTx, before: JobDocument, { id, payload, dueAt, requestId }: NewJob, now: Date): Promise<void> {
  const given = dueAt ?? now;
  const isOrdered = before.state === 'READY' || before.state === 'WAITING' || before.again === true;
  const due = isOrdered && before.dueAt < given ? before.dueAt : given;
  const change: Partial<JobDocument> = before.state === 'RUNNING' ? { again: true } : { state: dueState(due, now), attempts: 0 };
  await jobsIn(tx).updateOne({ _id: id }, { $set: { payload, dueAt: due, requestId: requestId ?? null, createdAt: now, ...change }, $unset: { cause: 1, diedAt: 1, unread: 1 } }, tx.options);
}

/** Both were the first to make a document, and the other has committed: as if it had been changed meanwhile. */
async function raced(write: Promise<unknown>): Promise<void> {
  await write.catch((error: unknown) => {
    throw isDuplicateKey(error) ? new LostRace('Another transaction made the document first', error) : error;
  });
}

const toClaimed = ({ _id: id, token, namespace, payload, attempts, createdAt, unread = 0, requestId = null }: JobDocument, now: Date): ClaimedJob => (
  {
    id, token, namespace, payload: JSON.parse(payload) as unknown, attempt: attempts, ageMs: now.getTime() - createdAt.getTime(), unread,
    ...(requestId !== null && { requestId }),
  }
);

const asked = ({ kind, id, namespace }: JobFilter): Filter<JobDocument> => ({ ...(kind && { kind }), ...(id && { _id: id }), ...(namespace && { namespace }) });
const deadOnes = (filter: JobFilter): Filter<JobDocument> => ({ ...asked(filter), state: 'DEAD' });
