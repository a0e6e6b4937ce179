import fc from 'fast-check';
import { SharedReads } from './shared-reads';

/** Answers a read when it is told to, with what stood in the store when the read began. */
class Store {
  value = 0;
  readonly begun: string[] = [];
  private readonly doors: (() => void)[] = [];

  readonly reads = new SharedReads<string, number>(async (key) => {
    this.begun.push(key);
    const { value } = this;
    await new Promise<void>((resolve) => this.doors.push(resolve));
    if (key === 'broken') throw new Error(`read ${this.begun.length} failed`);
    return value;
  });

  /** Lets the reads that wait at the door through, and what follows from that happen. */
  async open(): Promise<void> {
    this.doors.splice(0).forEach((open) => open());
    await new Promise((resolve) => setImmediate(resolve));
  }

  async openAll(): Promise<void> {
    while (this.doors.length > 0) await this.open();
  }
}

describe('SharedReads', () => {
  let store: Store;
  beforeEach(() => (store = new Store()));

  it('reads for who asks alone at once, each time anew', async () => {
    for (const value of [1, 2]) {
      store.value = value;
      const read = store.reads.get('a');
      expect(store.begun).toHaveLength(value);
      await store.openAll();
      expect(await read).toBe(value);
    }
  });

  it('reads once more for all who ask while it reads, and not for other keys', async () => {
    const [first, other] = [store.reads.get('a'), store.reads.get('b')];
    const later = [store.reads.get('a'), store.reads.get('a'), store.reads.get('a')];
    store.value = 7;
    expect(store.begun).toEqual(['a', 'b']);
    await store.openAll();
    expect(store.begun).toEqual(['a', 'b', 'a']);
    expect(await Promise.all([first, other, ...later])).toEqual([0, 0, 7, 7, 7]);
  });

  it('tells a failure to those who share the read, and reads for the next', async () => {
    const ended = Promise.allSettled([store.reads.get('broken'), store.reads.get('broken'), store.reads.get('broken')]);
    await store.openAll();
    expect((await ended).map((end) => end.status === 'rejected' && (end.reason as Error).message)).toEqual(['read 1 failed', 'read 2 failed', 'read 2 failed']);
    void store.reads.get('broken').catch(() => undefined);
    expect(store.begun).toHaveLength(3);
    await store.openAll();
  });

  it('answers nobody with what was read before it asked, whatever happens when', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom('ask', 'write', 'open'), { maxLength: 40 }), async (steps) => {
        const one = new Store();
        const answers: Promise<boolean>[] = [];
        for (const step of steps) {
          const { value } = one;
          if (step === 'ask') answers.push(one.reads.get('a').then((read) => read >= value));
          else if (step === 'write') one.value += 1;
          else await one.open();
        }
        await one.openAll();
        expect(await Promise.all(answers)).toEqual(answers.map(() => true));
      }),
    );
  });
});
