import type { Tx } from '@twinyard/service-kit';
import { type ClaimedJob, type ClaimTerms, Jobs, type JobStore } from '../../src';
import { type JobsSubject, NOTE, terms } from '../jobs-subject';

/** What suites over a store say; with it come their hooks. */
export class StoreWords {
  subject: JobsSubject;
  jobs: Jobs;

  constructor(open: () => Promise<JobsSubject>) {
    beforeAll(async () => {
      this.subject = await open();
      this.jobs = new Jobs(this.store, this.subject.notices());
    });
    afterEach(() => this.subject.clear());
    afterAll(() => this.subject?.close());
  }

  get store(): JobStore {
    return this.subject.store;
  }

  readonly inTx = <R>(work: (tx: Tx) => Promise<R>) => this.subject.unitOfWork.run(work);
  readonly enqueue = (text: string, namespace = 'a', rest: { dueAt?: Date; key?: string; requestId?: string } = {}) => this.inTx((tx) => this.jobs.enqueue(tx, NOTE, { text }, { namespace, ...rest }));
  readonly enqueueMany = (namespaces: readonly string[], dueAt?: Date) =>
    this.inTx((tx) => this.jobs.enqueueAll(tx, NOTE, namespaces.map((namespace, n) => ({ payload: { text: String(n) }, namespace, ...(dueAt && { dueAt }) }))));
  readonly claim = async (slots: number, rest: Partial<ClaimTerms> = {}) => (await this.store.claim(terms(slots, rest), [])).jobs;
  readonly one = async () => (await this.claim(1))[0] as ClaimedJob;
}

export const texts = (found: readonly { payload: unknown }[]) => found.map(({ payload }) => (payload as { text: string }).text);
export const namespacesOf = (found: readonly { namespace: string }[]) => found.map(({ namespace }) => namespace);
export const soon = (ms: number) => new Date(Date.now() + ms);
export const HOUR_MS = 3_600_000;
