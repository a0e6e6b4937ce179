import { conflict, unavailable } from '@twinyard/conventions';
import fc from 'fast-check';
import { FailedMember, GroupCommit, type Outcome } from './group-commit';

const BOUNDS = { members: 3, weight: 10 };

/** Commits when it is told to, and notes what was committed together. */
class Groups {
  readonly seen: string[][] = [];
  private readonly doors: (() => void)[] = [];
  fail: (works: readonly string[]) => unknown = () => undefined;

  readonly commits = new GroupCommit<string, string>(BOUNDS, async (works) => {
    this.seen.push([...works]);
    await new Promise<void>((resolve) => this.doors.push(resolve));
    const error = this.fail(works);
    if (error !== undefined) throw error;
    return works.map((work): Outcome<string> => ({ status: 'fulfilled', value: `${work} done` }));
  });

  /** Lets everything through, now and from now on. */
  async open(): Promise<void> {
    for (let turn = 0; turn < 50; turn += 1) {
      this.doors.splice(0).forEach((open) => open());
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

describe('GroupCommit', () => {
  let groups: Groups;
  beforeEach(() => (groups = new Groups()));
  const run = (work: string, { name = 'a', weight = 1 } = {}) => groups.commits.run(name, work, weight);

  it('starts work that comes alone at once, and gathers what comes meanwhile, in order and within the bounds', async () => {
    const answers = Promise.all(['1', '2', '3', '4', '5'].map((work) => run(work)));
    expect(groups.seen).toEqual([['1']]);
    await groups.open();
    expect(groups.seen).toEqual([['1'], ['2', '3', '4'], ['5']]);
    expect(await answers).toEqual(['1 done', '2 done', '3 done', '4 done', '5 done']);
  });

  it('ends a group before it becomes too heavy, and does what is too heavy for any alone', async () => {
    const answers = Promise.all([['1', 1], ['2', 6], ['3', 5], ['4', 99], ['5', 1]].map(([work, weight]) => run(String(work), { weight: Number(weight) })));
    await groups.open();
    expect(groups.seen).toEqual([['1'], ['2'], ['3'], ['4'], ['5']]);
    await answers;
  });

  it('tells those that follow another into its group, and nobody that leads one', async () => {
    const followed: string[] = [];
    const answers = Promise.all(['1', '2', '3', '4', '5', '6'].map((work) => groups.commits.run('a', work, 1, () => followed.push(work))));
    expect(followed).toEqual(['3', '4', '6']);
    await groups.open();
    expect(groups.seen).toEqual([['1'], ['2', '3', '4'], ['5', '6']]);
    await answers;
  });

  it('keeps other names going', async () => {
    const stuck = run('stuck');
    const other = run('other', { name: 'b' });
    expect(groups.seen).toEqual([['stuck'], ['other']]);
    await groups.open();
    expect(await Promise.all([stuck, other])).toEqual(['stuck done', 'other done']);
  });

  it('does the halves of a group that was refused again, and their halves, so that only the bad one fails', async () => {
    groups.fail = (works) => (works.includes('bad') ? conflict('bad') : undefined);
    const answers = Promise.allSettled(['1', '2', 'bad', '4'].map((work) => run(work)));
    await groups.open();
    expect(groups.seen).toEqual([['1'], ['2', 'bad', '4'], ['2'], ['bad', '4'], ['bad'], ['4']]);
    expect((await answers).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  });

  it('finds the bad one of 128 in some 15 commits, wherever it stands', async () => {
    for (const place of [0, 63, 100, 127]) {
      let count = 0;
      const commits = new GroupCommit<number, number>({ members: 128, weight: 1_000 }, async (works) => {
        count += 1;
        await new Promise((resolve) => setImmediate(resolve));
        if (works.includes(place)) throw conflict('taken');
        return works.map((value): Outcome<number> => ({ status: 'fulfilled', value }));
      });
      const ended = await Promise.allSettled([commits.run('a', -1, 1), ...Array.from({ length: 128 }, (_, n) => commits.run('a', n, 1))]);
      expect(ended.flatMap(({ status }, index) => (status === 'rejected' ? [index - 1] : []))).toEqual([place]);
      expect(count).toBe(2 + 2 * 7);
    }
  });

  it('does nothing again of which it is not known whether it was done', async () => {
    groups.fail = (works) => (works.length > 1 ? Object.assign(new Error('the host is gone'), { code: 'EHOSTUNREACH' }) : undefined);
    const answers = Promise.allSettled(['1', '2', '3', '4'].map((work) => run(work)));
    await groups.open();
    expect(groups.seen).toEqual([['1'], ['2', '3', '4']]);
    expect((await answers).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected']);
  });

  it('keeps the rest of a group together around the one that failed, in order', async () => {
    groups.fail = (works) => (works.includes('bad') ? new FailedMember(works.indexOf('bad'), conflict('bad')) : undefined);
    const answers = Promise.allSettled(['1', '2', 'bad', '4', '5', '6'].map((work) => run(work)));
    await groups.open();
    expect(groups.seen).toEqual([['1'], ['2', 'bad', '4'], ['2'], ['bad'], ['4'], ['5', '6']]);
    expect((await answers)[2]).toEqual({ status: 'rejected', reason: expect.objectContaining({ code: 'conflict' }) as unknown });
  });

  it('tells all members of a group when the store cannot be had, without asking it for each', async () => {
    groups.fail = (works) => (works.length > 1 ? unavailable('gone') : undefined);
    const answers = Promise.allSettled(['1', '2', '3'].map((work) => run(work)));
    await groups.open();
    expect(groups.seen).toEqual([['1'], ['2', '3']]);
    expect((await answers).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
  });

  it('rejects a member whose outcome is a refusal, and no other', async () => {
    const commits = new GroupCommit<number, number>(BOUNDS, async (works) => {
      await new Promise((resolve) => setImmediate(resolve));
      return works.map((work): Outcome<number> => (work % 2 === 0 ? { status: 'fulfilled', value: work } : { status: 'rejected', reason: conflict('odd') }));
    });
    const ended = await Promise.allSettled([0, 1, 2, 3].map((work) => commits.run('a', work, 1)));
    expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected']);
  });

  it('does everything once and in order, whatever comes when and whichever group fails', async () => {
    const member = fc.record({ name: fc.constantFrom('a', 'b'), weight: fc.integer({ min: 1, max: 12 }), bad: fc.boolean(), pause: fc.integer({ min: 0, max: 3 }) });
    await fc.assert(fc.asyncProperty(fc.array(member, { maxLength: 30 }), async (members) => {
      const done: number[] = [];
      const commits = new GroupCommit<number, number>(BOUNDS, async (works) => {
        await new Promise((resolve) => setImmediate(resolve));
        const bad = works.findIndex((work) => members[work]?.bad);
        if (bad !== -1) throw works.length % 2 === 0 ? new FailedMember(bad, conflict('bad')) : conflict('bad');
        done.push(...works);
        return works.map((value): Outcome<number> => ({ status: 'fulfilled', value }));
      });
      const ended: Promise<unknown>[] = [];
      for (const [index, { name, weight, pause }] of members.entries()) {
        for (let turn = 0; turn < pause; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        ended.push(commits.run(name, index, weight).catch(() => 'refused'));
      }
      expect(await Promise.all(ended)).toEqual(members.map(({ bad }, index) => (bad ? 'refused' : index)));
      for (const name of ['a', 'b']) {
        const wanted = members.flatMap((each, index) => (each.name === name && !each.bad ? [index] : []));
        expect(done.filter((index) => members[index]?.name === name)).toEqual(wanted);
      }
    }), { numRuns: 60 });
  });
});
