import { setTimeout as delay } from 'node:timers/promises';
import { unavailable } from '@twinyard/conventions';
import { isDuplicateKey } from '@twinyard/service-kit';
import type { ClaimTerms } from '../job-store';
import { type ClaimsDocument, JOB_CLAIMS, JOB_LEASES, type JobDocument, JOBS } from './job-documents';
import { putBack } from './job-endings';
import { jobsIn, leasesIn, reading, unlessInHand, type Writes } from './mongo-writes';

/** Who does not end its turn in this time has died; a claim takes some milliseconds. */
const TURN_MS = 5_000;
const PAUSE_MS = 10;
const LONG_AGO = new Date(0);

/** Namespaces that are looked through at a time for what has fallen due in them. */
const WAITING_NAMESPACES = 32;
/** What is made ready at a time: of those that are due longest, whosever they are; of each of these namespaces; in all. */
const OF_ALL = 32;
const OF_ONE = 8;
const IN_ALL = 64;

const claimsIn = (writes: Writes) => writes.collection<ClaimsDocument>(JOB_CLAIMS);

/** Waits until nobody else claims jobs of the kind; resolves with the token of this claim. */
export async function takeTurn(writes: Writes, kind: string, clock: () => Date): Promise<number> {
  await writes.touch(JOB_CLAIMS, [kind]);
  const deadline = clock().getTime() + 2 * TURN_MS;
  for (;;) {
    const now = clock();
    const until = new Date(now.getTime() + TURN_MS);
    const turn = await claimsIn(writes).findOneAndUpdate({ _id: kind, until: { $lte: now } }, { $set: { until }, $inc: { made: 1 } }, { ...writes.options, returnDocument: 'after' });
    if (turn !== null) return turn.made;
    if (now.getTime() > deadline) throw unavailable(`Too many workers wait for jobs of the kind ${kind}`);
    await makeMissing(writes, kind);
    await delay(PAUSE_MS * (0.5 + Math.random()));
  }
}

export async function endTurn(writes: Writes, kind: string, token: number): Promise<void> {
  await claimsIn(writes).updateOne({ _id: kind, made: token }, { $set: { until: LONG_AGO } }, writes.options);
}

/** By whoever misses it first. */
async function makeMissing(writes: Writes, kind: string): Promise<void> {
  await claimsIn(writes).updateOne({ _id: kind }, { $setOnInsert: { made: 0, until: LONG_AGO } }, { ...writes.options, upsert: true }).catch((error: unknown) => {
    if (!isDuplicateKey(error)) throw error;
  });
}

/** What is due becomes ready. Of a tenant with very many that are due as few are made ready as of others. `from`: the namespace to begin at; resolves with that of the next look. */
export async function settleDue(writes: Writes, kind: string, now: Date, from: string): Promise<string> {
  const waiting = { kind, state: 'WAITING' as const };
  const names = (await jobsIn(writes).distinct('namespace', waiting, reading(writes))).sort();
  if (names.length === 0) return '';
  const begin = Math.max(0, names.findIndex((name) => name >= from));
  const some = names.slice(begin, begin + WAITING_NAMESPACES);
  const dueOf = (of: { readonly namespace?: string }, limit: number) =>
    jobsIn(writes).find({ ...waiting, ...of, dueAt: { $lte: now } }, { ...reading(writes), sort: { dueAt: 1 }, limit, projection: { _id: 1 } }).toArray();
  const found = await Promise.all([dueOf({}, OF_ALL), ...some.map((namespace) => dueOf({ namespace }, OF_ONE))]);
  const ids = [...new Set(inTurns(found).map(({ _id }) => _id))].slice(0, IN_ALL);
  await writes.touch(JOBS, ids);
  await Promise.all(ids.map((_id) => unlessInHand(jobsIn(writes).updateOne({ _id, state: 'WAITING', dueAt: { $lte: now } }, { $set: { state: 'READY' } }, writes.options))));
  return begin + WAITING_NAMESPACES < names.length ? (some.at(-1) ?? '') : '';
}

/** The first of each, then the second of each. */
const inTurns = <T>(lists: readonly (readonly T[])[]): T[] =>
  lists.flatMap((list) => list.map((one, place) => ({ one, place }))).sort((one, other) => one.place - other.place).map(({ one }) => one);

/**
 * What was held by somebody who has fallen silent is put back, whatever token it runs under: who has none of this lease cannot renew it. Leases of
 * jobs that have ended lie here too: nobody removes them in the transaction that ends the job.
 */
export async function settleSilent(writes: Writes, kind: string, now: Date): Promise<void> {
  const silent = await leasesIn(writes).find({ kind, until: { $lt: now } }, { ...reading(writes), sort: { until: 1 }, limit: IN_ALL }).toArray();
  if (silent.length === 0) return;
  const ids = silent.map(({ _id }) => _id);
  const running = await jobsIn(writes).find({ _id: { $in: ids }, state: 'RUNNING' }, reading(writes)).toArray();
  const back = await Promise.all(running.map(async (job) => ((await unlessInHand(putBack(writes, job, now))) === true ? '' : job._id)));
  const over = ids.filter((id) => !back.includes(id));
  await writes.touch(JOB_LEASES, over);
  await leasesIn(writes).deleteMany({ _id: { $in: over }, until: { $lt: now } }, writes.options);
}

interface Turn {
  readonly id: string;
  readonly level: number;
  readonly place: number;
}

/** The next jobs, each from the namespace with the fewest running, in the order of their turns. */
export async function chooseNext(writes: Writes, { kind, slots, perNamespace, after }: ClaimTerms): Promise<string[]> {
  const namespaces = await jobsIn(writes).distinct('namespace', { kind, state: 'READY' }, reading(writes));
  if (namespaces.length === 0) return [];
  const running = new Map<string, number>();
  for (const { namespace } of await jobsIn(writes).find({ kind, state: 'RUNNING' }, { ...reading(writes), projection: { namespace: 1 } }).toArray()) {
    running.set(namespace, (running.get(namespace) ?? 0) + 1);
  }
  const sorted = namespaces.sort();
  const begin = sorted.findIndex((namespace) => namespace > after);
  const next = [...sorted.slice(Math.max(0, begin)), ...sorted.slice(0, Math.max(0, begin))]
    .map((namespace, place) => ({ namespace, place, running: running.get(namespace) ?? 0 }))
    .filter((one) => one.running < perNamespace)
    .sort((one, other) => one.running - other.running || one.place - other.place)
    .slice(0, slots);
  const turns: Turn[] = [];
  for (const { namespace, place, running: level } of next) {
    const limit = Math.min(slots, perNamespace - level);
    const first = await jobsIn(writes).find({ kind, state: 'READY', namespace }, { ...reading(writes), sort: { dueAt: 1, place: 1 }, limit, projection: { _id: 1 } }).toArray();
    turns.push(...first.map(({ _id }, index) => ({ id: _id, level: level + index + 1, place })));
  }
  return turns.sort((one, other) => one.level - other.level || one.place - other.place).slice(0, slots).map(({ id }) => id);
}

export interface Taking {
  readonly kind: string;
  readonly token: number;
  readonly until: Date;
}

/** The leases first: a job that ran without one nobody would ever take over. Those that somebody has in hand are left out. */
export async function take(writes: Writes, ids: readonly string[], { kind, token, until }: Taking): Promise<JobDocument[]> {
  await writes.touch(JOB_LEASES, ids);
  await Promise.all(ids.map((_id) => leasesIn(writes).updateOne({ _id }, { $set: { kind, token, until } }, { ...writes.options, upsert: true })));
  await writes.touch(JOBS, ids);
  const change = { $set: { state: 'RUNNING' as const, token }, $inc: { attempts: 1 } };
  const taken = await Promise.all(ids.map((_id) => unlessInHand(jobsIn(writes).findOneAndUpdate({ _id, state: 'READY' }, change, { ...writes.options, returnDocument: 'after' }))));
  return taken.flatMap((job) => (job ? [job] : []));
}
