import { eventually } from '@twinyard/testing';
import { createLogger, MetricsRegistry, type Tx } from '@twinyard/service-kit';
import { type DurableHandler, type DurableRequest, DurableRequests, type DurableState, type FinishRequest, JobRunner, Jobs, JobsMetrics, type RequestSeal } from '../../src';
import type { DurableRequestsSubject } from './durable-requests-subject';

export const CALLER = { type: 'user', id: 'alice' };

/** What suites over durable requests say; with it come their hooks. */
export class RunningRequests<T extends Tx> {
  subject: DurableRequestsSubject<T>;
  private readonly runners: JobRunner[] = [];

  constructor(open: () => Promise<DurableRequestsSubject<T>>) {
    beforeAll(async () => {
      this.subject = await open();
    });
    afterEach(async () => {
      jest.restoreAllMocks();
      await Promise.all(this.runners.splice(0).map((runner) => runner.beforeApplicationShutdown()));
      await this.subject.clear();
    });
    afterAll(() => this.subject?.close());
  }

  /** A process, with a handler where it is given one; it works from when `start` is called. */
  readonly process = (handler?: DurableHandler, seal?: RequestSeal, jobStore = this.subject.jobStore) => {
    const { subject, runners } = this;
    const [notices, logger] = [subject.notices(), createLogger('test', 'silent')];
    const runner = new JobRunner(jobStore, notices, subject.unitOfWork, new JobsMetrics(new MetricsRegistry(), jobStore), { perNamespace: 100, keepDeadDays: 14, graceMs: 200 }, logger);
    const requests = new DurableRequests(subject.store, new Jobs(jobStore, notices), runner, subject.unitOfWork, logger, seal);
    if (handler !== undefined) requests.handle('work', handler);
    return { requests, start: () => { runners.push(runner); runner.onApplicationBootstrap(); } };
  };
  readonly worker = (handler: DurableHandler, seal?: RequestSeal): DurableRequests => {
    const { requests, start } = this.process(handler, seal);
    start();
    return requests;
  };
  /** The one that was started first. */
  readonly stop = () => this.runners.shift()?.beforeApplicationShutdown();
  readonly work = (request: DurableRequest, finish: FinishRequest, ..._rest: readonly unknown[]): Promise<void> =>
    this.subject.unitOfWork.run(async (tx) => {
      await this.subject.note(tx, request.id, (request.payload as { note: string }).note);
      await finish(tx, { status: 201, body: { made: true } });
    });
  readonly request = (note = 'x') => ({ kind: 'work', tenant: 'house', caller: CALLER, context: { as: 'alice' }, payload: { note } });
  readonly ended = (id: string) => eventually<DurableState>(async () => {
    const state = await this.subject.store.find(id);
    if (state?.response === undefined) throw new Error(`still ${state?.status}`);
    return state;
  });
}
