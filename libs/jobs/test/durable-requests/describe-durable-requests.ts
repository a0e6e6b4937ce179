import { setImmediate as nextTurn } from 'node:timers/promises';
import { invalidField, newUuid, unavailable } from '@twinyard/conventions';
import { eventually } from '@twinyard/testing';
import type { Tx } from '@twinyard/service-kit';
import { type DurableRequestStore, REQUEST_WORK } from '../../src';
import { Backwards, type DurableRequestsSubject } from './durable-requests-subject';
import { CALLER, RunningRequests } from './running-requests';

/** As a caller is told. */
const plain = (state: unknown): unknown => JSON.parse(JSON.stringify(state));

/** What `DurableRequests` and its callers rely on in any store. */
export function describeDurableRequests<T extends Tx>(name: string, open: () => Promise<DurableRequestsSubject<T>>): void {
  describe(`durable requests in ${name}`, () => {
    const running = new RunningRequests(open);
    const { process, worker, stop, work, request, ended } = running;
    let subject: DurableRequestsSubject<T>;
    let store: DurableRequestStore;

    beforeAll(() => {
      ({ subject } = running);
      ({ store } = subject);
    });

    const nothing = () => Promise.resolve();
    const done = async () => (await subject.notes()).length;

    it('keeps what is confidential sealed, from the payload to the answer, also to a failure', async () => {
      const requests = worker(async (asked, finish) => {
        if ((asked.payload as { note: string }).note === 'refused') throw invalidField('note', 'is secret text');
        await work(asked, finish, () => undefined);
      }, new Backwards());
      for (const [note, answer] of [['secret text', { status: 201, body: { made: true } }], ['refused', { status: 400 }]] as const) {
        const id = await requests.enqueue({ ...request(note), confidential: true });
        const kept = JSON.stringify(await ended(id));
        expect([kept.includes('made'), kept.includes('secret text'), kept.includes('$sealed')]).toEqual([false, false, true]);
        expect(plain((await requests.find(id))?.response)).toMatchObject(answer);
      }
      expect((await subject.notes()).map(({ text }) => text)).toEqual(['secret text']);
      await expect(worker(work).enqueue({ ...request(), confidential: true })).rejects.toThrow('RequestSeal');
    });

    it('hands over no confidential payload in its plain form', async () => {
      const id = await process(undefined, new Backwards()).requests.enqueue({ ...request('secret text'), confidential: true, handedOver: true });
      const claimed = await store.begin(id, false);
      expect([JSON.stringify(claimed?.payload).includes('secret text'), JSON.stringify(claimed?.payload).includes('txet terces')]).toEqual([false, true]);
    });

    it('does the work and keeps its answer for the caller', async () => {
      const requests = worker(work);
      const id = await requests.enqueue(request('note'));
      expect(plain(await ended(id))).toEqual({ id, caller: CALLER, status: 'COMPLETED', response: { status: 201, body: { made: true } } });
      expect(await subject.notes()).toEqual([{ requestId: id, text: 'note' }]);
      expect(await requests.find(newUuid())).toBeUndefined();
    });

    it('keeps a refusal with its details, and nothing of the work', async () => {
      const requests = worker((one, finish, report) => work(one, async (tx, response) => { await finish(tx, response); throw invalidField('[7]', 'is bad'); }, report));
      const id = await requests.enqueue(request());
      // What is written and put back again may be seen meanwhile where there are no transactions.
      await eventually(async () => expect(plain(await store.find(id))).toMatchObject({
        status: 'FAILED', response: { status: 400, body: { message: '[7]: is bad', code: 'invalid', details: [{ field: '[7]' }] } },
      }));
      expect(await done()).toBe(0);
    });

    it('does each of many requests once, with two processes at work', async () => {
      const [one, other] = [worker(work), worker(work)];
      const ids = await Promise.all(Array.from({ length: 40 }, (_, n) => (n % 2 ? one : other).enqueue(request())));
      for (const id of ids) await ended(id);
      const notes = await subject.notes();
      expect([notes.length, new Set(notes.map(({ requestId }) => requestId)).size]).toEqual([40, 40]);
    });

    it('begins with those of one tenant in their order, and leaves those that nobody here knows to others', async () => {
      const { requests } = process();
      const ids = [];
      for (const note of ['1', '2', '3']) ids.push(await requests.enqueue(request(note)));
      const unknown = await requests.enqueue({ ...request(), kind: 'other' });
      worker(work);
      for (const id of ids) await ended(id);
      expect((await subject.notes()).map(({ text }) => text).sort()).toEqual(['1', '2', '3']);
      await stop();
      expect(plain(await store.find(unknown))).toEqual({ id: unknown, caller: CALLER, status: 'QUEUED' });
      const other = process();
      other.requests.handle('other', work);
      other.start();
      expect((await ended(unknown)).status).toBe('COMPLETED');
    });

    it('has a job that names the request that it was accepted with', async () => {
      await process().requests.enqueue({ ...request(), requestId: 'req-1' });
      const { jobs } = await subject.jobStore.claim({ kind: REQUEST_WORK.kind, slots: 1, leaseMs: 60_000, perNamespace: 9, after: '' }, []);
      expect(jobs.map(({ requestId }) => requestId)).toEqual(['req-1']);
    });

    it('is there with its job, or not at all', async () => {
      const id = newUuid();
      await expect(store.add(id, request(), () => Promise.reject(new Error('no job')))).rejects.toThrow('no job');
      expect(await store.find(id)).toBeUndefined();
    });

    it('tells how far the work is, to the end', async () => {
      const id = newUuid();
      await store.add(id, { ...request(), progress: { done: 0, total: 9 } }, nothing);
      const progress = async () => (await store.find(id))?.progress;
      expect(await progress()).toEqual({ done: 0, total: 9 });
      await store.begin(id, false);
      await store.report(id, { done: 4, total: 9 });
      expect(await progress()).toEqual({ done: 4, total: 9 });
      await subject.unitOfWork.run((tx) => store.finish(tx, id, { status: 204, progress: { done: 9, total: 9 } }));
      expect(await progress()).toEqual({ done: 9, total: 9 });
    });

    it('shows what the work reports while it runs', async () => {
      let go: () => void = () => undefined;
      const gate = new Promise<void>((resolve) => { go = resolve; });
      const requests = worker(async (one, finish, report) => {
        report({ done: 3, total: 5 });
        await gate;
        report({ done: 5, total: 5 });
        await work(one, finish, report);
      });
      const id = await requests.enqueue(request());
      await eventually(async () => expect(await store.find(id)).toMatchObject({ status: 'RUNNING', progress: { done: 3, total: 5 } }));
      go();
      expect((await ended(id)).progress).toEqual({ done: 5, total: 5 });
    });

    it('carries bodies of any size and any names', async () => {
      const id = newUuid();
      const long = 'ä€'.repeat(4_000_000);
      const payload = { $set: { 'a.b': null, __proto__x: [1e300, -0.5] }, '': long };
      await store.add(id, { ...request(), payload }, nothing);
      expect((await store.begin(id, false))?.payload).toEqual(payload);
      const body = { long, $where: [long] };
      await subject.unitOfWork.run((tx) => store.finish(tx, id, { status: 200, body }));
      expect((await store.find(id))?.response?.body?.text).toBe(JSON.stringify(body));
      await store.prune(new Date(Date.now() + 60_000));
      expect(await store.find(id)).toBeUndefined();
    });

    it('takes over from replicas of the release before what they have accepted and do not work on, once', async () => {
      const { requests } = process();
      const [left, held] = [newUuid(), newUuid()];
      for (const id of [left, held]) await store.add(id, request(id), nothing);
      await subject.makeOld(left, 'work', -1_000);
      await subject.makeOld(held, 'work', 60_000);
      for (let times = 0; times < 2; times += 1) await requests.adopt();
      worker(work);
      expect((await ended(left)).status).toBe('COMPLETED');
      expect((await subject.notes()).map(({ text }) => text)).toEqual([left]);
      expect((await store.find(held))?.response).toBeUndefined();
    });

    it('tries again after an outage, which counts as no attempt', async () => {
      const attempts: number[] = [];
      const requests = worker(async (one, finish, report) => {
        attempts.push(one.attempt);
        if (attempts.length === 1) throw unavailable('gone');
        await work(one, finish, report);
      });
      expect((await ended(await requests.enqueue(request()))).status).toBe('COMPLETED');
      expect(attempts).toEqual([1, 1]);
    });

    it('gives up after five faults of ours, and says nothing of the inside', async () => {
      let tries = 0;
      const requests = worker(() => {
        tries += 1;
        return Promise.reject(new Error('secret'));
      });
      const state = await ended(await requests.enqueue(request()));
      expect([tries, state.status, state.response?.status, JSON.stringify(state)]).toEqual([5, 'FAILED', 500, expect.not.stringContaining('secret')]);
      await eventually(async () => expect(await subject.jobStore.statistics()).toEqual([]));
    });

    it('ends what has taken its workers down five times', async () => {
      const id = await process().requests.enqueue(request());
      for (let attempt = 1; attempt <= 5; attempt += 1) {
        const { jobs } = await subject.jobStore.claim({ kind: REQUEST_WORK.kind, slots: 1, leaseMs: 60_000, perNamespace: 9, after: '' }, []);
        expect(jobs.map((one) => one.attempt)).toEqual([attempt]);
        await subject.endLeases();
      }
      worker(work);
      expect([(await ended(id)).response?.status, await done()]).toEqual([500, 0]);
      await eventually(async () => expect(await subject.jobStore.statistics()).toEqual([]));
    });

    it('forgets what ended long ago, and nothing that waits', async () => {
      const requests = worker(work);
      const old = await requests.enqueue(request());
      await ended(old);
      const waiting = newUuid();
      await store.add(waiting, { ...request(), kind: 'other' }, nothing);
      await store.prune(new Date(Date.now() - 60_000));
      expect(await store.find(old)).toBeDefined();
      await store.prune(new Date(Date.now() + 60_000));
      expect([await store.find(old), (await store.find(waiting))?.status]).toEqual([undefined, 'QUEUED']);
    });

    it('hands what this process has accepted to its worker as it is, once: later attempts and other processes read it', async () => {
      const seen: unknown[] = [];
      const { requests, start } = process(async (one, finish, report) => {
        seen.push(one.payload);
        if (seen.length === 1) throw unavailable('gone');
        await work(one, finish, report);
      });
      const handed = { ...request('note'), handedOver: true };
      const id = await requests.enqueue(handed);
      start();
      await ended(id);
      expect([seen[0] === handed.payload, seen[1] === handed.payload, seen[1]]).toEqual([true, false, { note: 'note' }]);
      await ended(await process().requests.enqueue({ ...handed, payload: { note: 'of another' } }));
      expect([seen[2], await done()]).toEqual([{ note: 'of another' }, 2]);
    });

    it('tells its own caller of an end that comes soon, and whoever else asks, or asks for long, how it is', async () => {
      const gate = new AbortController();
      const requests = worker(async (one, finish, report) => {
        await new Promise((resolve) => gate.signal.addEventListener('abort', resolve));
        await work(one, finish, report);
      });
      const id = await requests.enqueue(request());
      await eventually(async () => expect((await store.find(id))?.status).toBe('RUNNING'));
      expect((await requests.findSoon(id, CALLER))?.status).toBe('RUNNING');
      const looks = jest.spyOn(store, 'find');
      const soon = requests.findSoon(id, CALLER);
      await nextTurn();
      expect(looks).not.toHaveBeenCalled();
      const other = requests.findSoon(id, { type: 'user', id: 'bob' });
      await nextTurn();
      expect(looks).toHaveBeenCalledTimes(1);
      gate.abort();
      await Promise.all([soon, other]);
      expect(looks).toHaveBeenCalledTimes(2);
      await eventually(async () => expect(plain((await requests.findSoon(id, CALLER))?.response)).toEqual({ status: 201, body: { made: true } }));
      expect(await requests.findSoon(newUuid(), CALLER)).toBeUndefined();
    });

    it('refuses two handlers for one kind', () => {
      const { requests } = process(work);
      expect(() => requests.handle('work', work)).toThrow(/Two handlers/);
    });
  });
}
