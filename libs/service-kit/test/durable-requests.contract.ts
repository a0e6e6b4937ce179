import { setImmediate as nextTurn } from 'node:timers/promises';
import { invalidField, newUuid, unavailable } from '@twinyard/conventions';
import { eventually } from '@twinyard/testing';
import { createLogger, type DurableHandler, DurableRequests, type DurableRequestStore, type DurableState, RequestSeal, type Tx, type UnitOfWork } from '../src';

/** A store in the database of a service, whose work is a note about a request. */
export interface DurableRequestsSubject<T extends Tx> {
  readonly store: DurableRequestStore;
  readonly unitOfWork: UnitOfWork<T>;
  note(tx: T, requestId: string, text: string): Promise<void>;
  /** What is committed. */
  notes(): Promise<{ requestId: string; text: string }[]>;
  /** Another worker takes the request over, for an hour. */
  takeOver(requestId: string): Promise<void>;
  clear(): Promise<void>;
  close(): Promise<void>;
}

/** As a caller is told. */
const plain = (state: unknown): unknown => JSON.parse(JSON.stringify(state));

const CALLER = { type: 'user', id: 'alice' };

/** Stands for a cipher: bound to its context, and not the text itself. */
class Backwards extends RequestSeal {
  override seal(text: string, context: string): string {
    return [...`${text}${context}`].reverse().join('');
  }

  override open(sealed: string, context: string): string {
    const text = [...sealed].reverse().join('');
    if (!text.endsWith(context)) throw new Error('of another context');
    return text.slice(0, -context.length);
  }
}

/** What `DurableRequests` and its callers rely on in any store. */
export function describeDurableRequests<T extends Tx>(name: string, open: () => Promise<DurableRequestsSubject<T>>): void {
  describe(`durable requests in ${name}`, () => {
    let subject: DurableRequestsSubject<T>;
    let store: DurableRequestStore;
    const workers: DurableRequests[] = [];

    beforeAll(async () => {
      subject = await open();
      ({ store } = subject);
    });
    afterEach(async () => {
      jest.restoreAllMocks();
      await Promise.all(workers.splice(0).map((worker) => worker.beforeApplicationShutdown()));
      await subject.clear();
    });
    afterAll(() => subject?.close());

    function worker(handler: DurableHandler, seal?: RequestSeal): DurableRequests {
      const requests = new DurableRequests(store, createLogger('test', 'fatal'), seal);
      requests.handle('work', handler);
      requests.onApplicationBootstrap();
      workers.push(requests);
      return requests;
    }
    const work: DurableHandler = (request, finish) =>
      subject.unitOfWork.run(async (tx) => {
        await subject.note(tx, request.id, (request.payload as { note: string }).note);
        await finish(tx, { status: 201, body: { made: true } });
      });
    const request = (note = 'x') => ({ kind: 'work', caller: CALLER, context: { as: 'alice' }, payload: { note } });
    const ended = (id: string) => eventually<DurableState>(async () => {
      const state = await store.find(id);
      if (state?.response === undefined) throw new Error(`still ${state?.status}`);
      return state;
    });
    const claim = (leaseMs: number, owner = newUuid()) => store.claim({ owner, leaseMs }, ['work']);
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
      const requests = new DurableRequests(store, createLogger('test', 'fatal'), new Backwards());
      await requests.enqueue({ ...request('secret text'), confidential: true });
      const claimed = await claim(60_000);
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

    it('gives out the oldest first, each to one worker, and of the kinds asked for', async () => {
      const ids = [newUuid(), newUuid(), newUuid()];
      for (const id of ids) await store.add(id, request());
      await store.add(newUuid(), { ...request(), kind: 'other' });
      const claimed = [await claim(60_000), ...(await Promise.all([claim(60_000), claim(60_000), claim(60_000)]))];
      expect(claimed[0]).toEqual({ id: ids[0], attempt: 1, ...request() });
      expect(claimed.flatMap((one) => one?.id ?? []).sort()).toEqual([...ids].sort());
    });

    it('leaves a request to the worker that renews its lease', async () => {
      const [id, owner] = [newUuid(), newUuid()];
      await store.add(id, request());
      await claim(1, owner);
      await store.renew({ owner, leaseMs: 60_000 }, id);
      await store.renew({ owner: newUuid(), leaseMs: 1 }, id);
      expect(await claim(60_000)).toBeUndefined();
      expect(await subject.unitOfWork.run((tx) => store.finish(tx, owner, id, { status: 204 }))).toBe(true);
      expect(await store.find(id)).toEqual({ id, caller: CALLER, status: 'COMPLETED', response: { status: 204 } });
    });

    it('ends in a transaction that lasted longer than its lease, renewed meanwhile', async () => {
      const [id, owner] = [newUuid(), newUuid()];
      await store.add(id, request());
      await claim(500, owner);
      let attempts = 0;
      const isMine = await subject.unitOfWork.run(async (tx) => {
        attempts += 1;
        await subject.note(tx, id, 'long');
        await store.renew({ owner, leaseMs: 60_000 }, id);
        return store.finish(tx, owner, id, { status: 204 });
      });
      expect([isMine, attempts, await done()]).toEqual([true, 1, 1]);
    });

    it('tells how far the work is, to the end', async () => {
      const [id, owner] = [newUuid(), newUuid()];
      await store.add(id, { ...request(), progress: { done: 0, total: 9 } });
      const progress = async () => (await store.find(id))?.progress;
      expect(await progress()).toEqual({ done: 0, total: 9 });
      await claim(60_000, owner);
      await store.report({ owner, leaseMs: 60_000 }, id, { done: 4, total: 9 });
      await store.report({ owner: newUuid(), leaseMs: 60_000 }, id, { done: 7 });
      expect(await progress()).toEqual({ done: 4, total: 9 });
      await subject.unitOfWork.run((tx) => store.finish(tx, owner, id, { status: 204, progress: { done: 9, total: 9 } }));
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
      const [id, owner] = [newUuid(), newUuid()];
      const long = 'ä€'.repeat(4_000_000);
      const payload = { $set: { 'a.b': null, __proto__x: [1e300, -0.5] }, '': long };
      await store.add(id, { ...request(), payload });
      expect((await claim(60_000, owner))?.payload).toEqual(payload);
      const body = { long, $where: [long] };
      await subject.unitOfWork.run((tx) => store.finish(tx, owner, id, { status: 200, body }));
      expect((await store.find(id))?.response?.body?.text).toBe(JSON.stringify(body));
      await store.prune(new Date(Date.now() + 60_000));
      expect(await store.find(id)).toBeUndefined();
    });

    it('writes nothing for a worker that was taken over meanwhile', async () => {
      let tried = 0;
      const requests = worker(async (one, finish, report) => {
        tried += 1;
        await subject.takeOver(one.id);
        await work(one, finish, report);
      });
      const id = await requests.enqueue(request());
      await eventually(() => tried === 1);
      await workers.splice(0)[0]?.beforeApplicationShutdown();
      expect([await done(), (await store.find(id))?.status]).toEqual([0, 'RUNNING']);
    });

    it('takes over what a dead process left, once its lease has run out', async () => {
      const id = newUuid();
      await store.add(id, request());
      await claim(1);
      worker(work);
      expect((await ended(id)).status).toBe('COMPLETED');
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
      const id = newUuid();
      await store.add(id, request());
      for (const attempt of [1, 2, 3, 4]) await eventually(async () => expect((await claim(1))?.attempt).toBe(attempt));
      worker(() => Promise.reject(new Error('secret')));
      const state = await ended(id);
      expect([state.status, state.response?.status, JSON.stringify(state)]).toEqual(['FAILED', 500, expect.not.stringContaining('secret')]);
    });

    it('forgets what ended long ago, and nothing that waits', async () => {
      const requests = worker(work);
      const old = await requests.enqueue(request());
      await ended(old);
      const waiting = newUuid();
      await store.add(waiting, { ...request(), kind: 'other' });
      await store.prune(new Date(Date.now() - 60_000));
      expect(await store.find(old)).toBeDefined();
      await store.prune(new Date(Date.now() + 60_000));
      expect([await store.find(old), (await store.find(waiting))?.status]).toEqual([undefined, 'QUEUED']);
    });

    it('hands what this process has accepted to its worker as it is, once: later attempts and other processes read it', async () => {
      const seen: unknown[] = [];
      const requests = new DurableRequests(store, createLogger('test', 'fatal'));
      requests.handle('work', async (one, finish, report) => {
        seen.push(one.payload);
        if (seen.length === 1) throw unavailable('gone');
        await work(one, finish, report);
      });
      const handed = { ...request('note'), handedOver: true };
      const id = await requests.enqueue(handed);
      requests.onApplicationBootstrap();
      workers.push(requests);
      await ended(id);
      expect([seen[0] === handed.payload, seen[1] === handed.payload, seen[1]]).toEqual([true, false, { note: 'note' }]);
      await ended(await new DurableRequests(store, createLogger('test', 'fatal')).enqueue({ ...handed, payload: { note: 'of another' } }));
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
      const requests = new DurableRequests(store, createLogger('test', 'fatal'));
      requests.handle('work', work);
      expect(() => requests.handle('work', work)).toThrow(/Two handlers/);
    });
  });
}
