import { newUuid } from '@twinyard/conventions';
import { createLogger, type Tx, type UnitOfWork } from '@twinyard/service-kit';
import { DurableRequests, type DurableRequestStore, type HeldJob, type JobHandler, type JobRunner, type Jobs, type TryLater } from '../../src';

interface Work {
  readonly id: string;
}

it.each([[0, 1_000], [60_000, 15_000], [86_400_000, 60_000]])('a request that nobody here knows, and that is %s ms old, keeps no place for %s ms', async (ageMs, delayMs) => {
  const id = newUuid();
  const [putBack, hold] = [jest.fn(() => Promise.resolve()), jest.fn(() => Promise.resolve())];
  const tx = {} as Tx;
  const unitOfWork = { run: (work: (given: Tx) => Promise<unknown>) => work(tx) } as unknown as UnitOfWork<Tx>;
  const store = { begin: () => Promise.resolve({ id, kind: 'other', caller: { type: 'user', id: 'alice' }, context: null, payload: null }), putBack } as unknown as DurableRequestStore;
  const handle = jest.fn<void, [unknown, JobHandler<Work>]>();
  const requests = new DurableRequests(store, {} as Jobs, { handle } as unknown as JobRunner, unitOfWork, createLogger('test', 'silent'));
  requests.handle('work', () => Promise.resolve());
  const [, handler] = handle.mock.calls[0] as [unknown, JobHandler<Work>];
  const held = { id: 'job', namespace: 'of:house', payload: { id }, attempt: 1, ageMs, signal: new AbortController().signal, hold } as unknown as HeldJob<Work>;
  const thrown = await handler.run(held).then(() => undefined, (error: unknown) => error as TryLater);
  // Without a cause: nothing has failed.
  expect([thrown?.delayMs, thrown?.counts, thrown?.cause, hold.mock.calls, putBack.mock.calls]).toEqual([delayMs, false, undefined, [[tx]], [[tx, id]]]);
});
