import type { SqlTx } from '@twinyard/service-kit';
import { eventually } from '@twinyard/testing';
import { type Hold, Jobs } from '../src';
import { CLAIM, CLAIM_TURN } from '../src/store/postgres/claim-statements';
import { type JobsSubject, NOTE, terms } from './jobs-subject';
import { openSqlSubject } from './sql-subject';
import { describeAttempts } from './suite/describe-attempts';
import { describeDeadJobs } from './suite/describe-dead-jobs';
import { describeJobKeys } from './suite/describe-job-keys';
import { describeJobRunner } from './suite/describe-job-runner';
import { describeJobStore } from './suite/describe-job-store';
import { describeSchedules } from './suite/describe-schedules';

describeJobStore('PostgreSQL', openSqlSubject);
describeJobKeys('PostgreSQL', openSqlSubject);
describeDeadJobs('PostgreSQL', openSqlSubject);
describeJobRunner('PostgreSQL', openSqlSubject);
describeAttempts('PostgreSQL', openSqlSubject);
describeSchedules('PostgreSQL', openSqlSubject);

describe('jobs on PostgreSQL that a transaction has in hand', () => {
  let subject: JobsSubject;
  let jobs: Jobs;
  beforeAll(async () => {
    subject = await openSqlSubject();
    jobs = new Jobs(subject.store, subject.notices());
  });
  afterEach(() => subject.clear());
  afterAll(() => subject?.close());

  const inTx = <R>(work: (tx: SqlTx) => Promise<R>) => subject.unitOfWork.run((tx) => work(tx as SqlTx));
  const order = async (tx: SqlTx, text: string, rest: { dueAt?: Date; key?: string } = {}) => {
    await jobs.enqueue(tx, NOTE, { text }, { namespace: 'a', ...rest });
    // It goes with the next statement.
    await tx.query('SELECT 1');
  };
  const claim = async (slots: number) => (await subject.store.claim(terms(slots), [])).jobs;
  const one = async () => (await claim(1))[0] as Hold;
  /** In a transaction of its own: each knows of those alone who were there when it first asked. */
  const somebodyWaits = () => eventually(async () => {
    expect(await inTx((tx) => tx.query(`SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`))).toHaveLength(1);
  }, { everyMs: 5 });

  it('are passed over by a claim, which says that more is due, and not that something is about to be', async () => {
    const meanwhile = (dueAt?: Date) => inTx(async (tx) => {
      await order(tx, 'x', { key: 'k', ...(dueAt && { dueAt }) });
      return subject.store.claim(terms(1), []);
    });
    expect(await meanwhile(new Date(Date.now() + 3_600_000))).toEqual({ jobs: [], isMore: false, notEnded: [] });
    await subject.makeDue();
    expect(await meanwhile()).toEqual({ jobs: [], isMore: true, notEnded: [] });
    expect(await claim(1)).toHaveLength(1);
  });

  it('are not taken over, though their lease has ended', async () => {
    await inTx((tx) => order(tx, 'x'));
    const held = await one();
    await subject.endLeases();
    await inTx(async (tx) => {
      expect(await subject.store.hold(tx, held, 60_000)).toBe(true);
      expect(await subject.store.claim(terms(1), [])).toMatchObject({ jobs: [], isMore: true, notEnded: [] });
      expect(await subject.store.finish(tx, held)).toBe(true);
    });
    expect(await subject.store.statistics()).toEqual([]);
  });

  it('are not waited for by who ends them while they are enqueued again: others end, these are still held, and run once more', async () => {
    await inTx(async (tx) => {
      await order(tx, 'first', { key: 'k' });
      await order(tx, 'other');
    });
    const held = await claim(2);
    const { id } = held.find(({ payload }) => (payload as { text: string }).text === 'first') as Hold;
    await inTx(async (tx) => {
      await order(tx, 'second', { key: 'k' });
      expect(await subject.store.claim(terms(0), held)).toEqual({ jobs: [], isMore: false, notEnded: [id] });
    });
    expect(await subject.store.claim(terms(0), held)).toEqual({ jobs: [], isMore: false, notEnded: [] });
    expect(await claim(5)).toMatchObject([{ payload: { text: 'second' }, attempt: 1 }]);
  });

  it('are claimed by one after the other, so that a tenant runs no more than it may', async () => {
    await inTx(async (tx) => {
      await order(tx, 'x');
      await order(tx, 'y');
    });
    let second: Promise<readonly unknown[]> = Promise.resolve([]);
    await inTx(async (tx) => {
      await tx.query(CLAIM_TURN, [NOTE.kind]);
      expect(await tx.query(CLAIM, [NOTE.kind, 1, 60_000, 1, ''])).toHaveLength(1);
      second = subject.store.claim(terms(1, { perNamespace: 1 }), []).then((claimed) => claimed.jobs);
      second.catch(() => undefined);
      await somebodyWaits();
    });
    expect(await second).toEqual([]);
  });
});
