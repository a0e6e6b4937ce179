import type { Tx } from '@twinyard/service-kit';
import { eventually } from '@twinyard/testing';
import type { HeldJob, JobStore } from '../../src';
import { JobProcess, type JobsSubject, type ProcessParts } from '../jobs-subject';

export type Held = HeldJob<{ text: string }>;

/** A door that handlers wait at. */
export function gate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => { open = resolve; });
  return { opened, open };
}

/** A store that a worker reaches until its line is cut; what it ends jobs by still gets through. */
export function cutLine(store: JobStore) {
  let isCut = false;
  const get = (_: object, name: keyof JobStore) => (isCut && ['claim', 'renew', 'look'].includes(name) ? () => Promise.reject(new Error('cut off')) : store[name].bind(store));
  return { store: new Proxy(store, { get } as ProxyHandler<JobStore>), cut: () => void (isCut = true) };
}

/** What suites over a runner say; with it come their hooks. */
export class RunningJobs {
  subject: JobsSubject;
  private readonly started: JobProcess[] = [];

  constructor(open: () => Promise<JobsSubject>) {
    beforeAll(async () => {
      this.subject = await open();
    });
    afterEach(async () => {
      jest.restoreAllMocks();
      await Promise.all(this.started.splice(0).map((process) => process.stop()));
      await this.subject.clear();
    });
    afterAll(() => this.subject?.close());
  }

  readonly newProcess = (parts: ProcessParts = {}) => {
    const process = new JobProcess(this.subject, parts);
    this.started.push(process);
    return process;
  };
  readonly inTx = <R>(work: (tx: Tx) => Promise<R>) => this.subject.unitOfWork.run(work);
  readonly write = (held: Held, text = held.payload.text) => this.inTx(async (tx) => {
    await this.subject.note(tx, text);
    await held.finish(tx);
  });
  readonly noted = (...texts: string[]) => eventually(async () => expect(await this.subject.notes()).toEqual(texts));
  readonly dead = () => this.subject.store.dead({}, 9);
  readonly left = () => this.subject.store.statistics();
  readonly nothingIsLeft = () => eventually(async () => expect(await this.left()).toEqual([]));
}
