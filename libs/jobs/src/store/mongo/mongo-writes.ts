import type { MongoDocument, MongoTx } from '@twinyard/service-kit';
import type { ClientSession, Db } from 'mongodb';
import type { JobState } from '../job-store';
import { type JobDocument, JOB_LEASES, JOBS, type LeaseDocument } from './job-documents';

/** How long a write waits for a transaction that has its document in hand. One whose process was killed has it until the server ends it, after a minute. */
const IN_HAND_MS = 1_000;
const MAX_TIME_EXPIRED = 50;

/** By what is written: a transaction, or each write by itself. */
export interface Writes extends Pick<MongoTx, 'collection' | 'touch'> {
  readonly options: { readonly session?: ClientSession; readonly maxTimeMS?: number };
}

/** Each by itself: who is killed between two of them leaves no document locked. */
export const eachByItself = (db: Db): Writes => ({
  collection: <T extends MongoDocument>(name: string) => db.collection<T>(name), touch: () => Promise.resolve(), options: { maxTimeMS: IN_HAND_MS },
});

/** Reads wait for nobody, and may take as long as the server needs for them. */
export const reading = ({ options: { maxTimeMS: _limit, ...rest } }: Writes): Writes['options'] => rest;

/** Undefined when a transaction has its document in hand. */
export function unlessInHand<T>(write: Promise<T>): Promise<T | undefined> {
  return write.catch((error: unknown) => {
    if ((error as { readonly code?: unknown }).code === MAX_TIME_EXPIRED) return undefined;
    throw error;
  });
}

export const jobsIn = (writes: Writes) => writes.collection<JobDocument>(JOBS);
export const leasesIn = (writes: Writes) => writes.collection<LeaseDocument>(JOB_LEASES);

/** Where a job stands that nobody holds any more. */
export const dueState = (dueAt: Date, now: Date): JobState => (dueAt > now ? 'WAITING' : 'READY');
