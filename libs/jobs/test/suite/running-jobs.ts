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

/** What a worker whose line is cut reaches no more; what it ends jobs by still gets through. */
const CUT: readonly (keyof JobStore)[] = ['claim', 'renew', 'look'];

/** A store that a worker reaches until its line is cut: that is so when all that was on its way has been answered. */
export function cutLine(store: JobStore) {
  let isCut = false;
  const onItsWay: Promise<unknown>[] = [];
  const get = (_: object, name: keyof JobStore) => {
    const ask = store[name].bind(store) as unknown as (...given: unknown[]) => Promise<unknown>;
    if (!CUT.includes(name)) return ask;
    return (...given: unknown[]) => {
      if (isCut) return Promise.reject(new Error('cut off'));
      const answer = ask(...given);
      onItsWay.push(answer.catch(() => undefined));
      return answer;
    };
  };
  const cut = async (): Promise<void> => {
    isCut = true;
    await Promise.all(onItsWay);
  };
  return { store: new Proxy(store, { get } as ProxyHandler<JobStore>), cut };
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
