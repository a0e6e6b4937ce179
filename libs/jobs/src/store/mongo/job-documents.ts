import type { MongoCollections } from '@twinyard/service-kit';
import type { JobState } from '../job-store';

export const JOBS = 'jobs';
export const JOB_LEASES = 'job_leases';
export const JOB_CLAIMS = 'job_claims';

export interface JobDocument {
  _id: string;
  kind: string;
  namespace: string;
  /** JSON, since names in it may hold what MongoDB has rules of its own for. */
  payload: string;
  state: JobState;
  dueAt: Date;
  /** Tells those of one process and millisecond apart. */
  place: number;
  attempts: number;
  token: number;
  /** By its handler, in the middle of its work. */
  heldAt?: Date;
  /** Enqueued while it ran: it is to run once more. */
  again?: true;
  /** How often in a row its payload could not be read. */
  unread?: number;
  cause?: string;
  diedAt?: Date;
  /** Of the request that it follows from; missing in jobs from before. */
  requestId?: string | null;
  createdAt: Date;
}

/**
 * Until when a running job is held. Apart from the job: a heartbeat would be a change of the document that the handler's transaction is about
 * to end, and MongoDB refuses a transaction whose document somebody has changed meanwhile.
 */
export interface LeaseDocument {
  /** Of the job. */
  _id: string;
  kind: string;
  token: number;
  until: Date;
}

/** One for each kind: whose turn it is to claim, so that limits hold in all processes together. */
export interface ClaimsDocument {
  /** The kind. */
  _id: string;
  /** The token of the latest claim; it never begins anew, so a job that is gone and enqueued again under its key has later ones. */
  made: number;
  /** Until when others wait, should that claim not end. */
  until: Date;
}

/** For `MongoModule.forRoot({ collections })`, of each service on MongoDB that has jobs. */
export const JOBS_COLLECTIONS: MongoCollections = {
  [JOBS]: [
    { key: { kind: 1, state: 1, namespace: 1, dueAt: 1, place: 1 }, name: 'next' },
    { key: { kind: 1, state: 1, dueAt: 1 }, name: 'due' },
    { key: { diedAt: 1 }, name: 'died', sparse: true },
  ],
  [JOB_LEASES]: [{ key: { kind: 1, until: 1 }, name: 'until' }],
  [JOB_CLAIMS]: [],
};
