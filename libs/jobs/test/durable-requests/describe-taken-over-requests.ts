import type { Tx } from '@twinyard/service-kit';
import { eventually } from '@twinyard/testing';
import { type DurableHandler, LeaseLost } from '../../src';
import { cutLine, gate } from '../suite/running-jobs';
import type { DurableRequestsSubject } from './durable-requests-subject';
import { RunningRequests } from './running-requests';

/** What a worker that was taken over can still write, in any store: nothing. */
export function describeTakenOverRequests<T extends Tx>(name: string, open: () => Promise<DurableRequestsSubject<T>>): void {
  describe(`durable requests in ${name} whose worker has fallen silent`, () => {
    const running = new RunningRequests(open);
    const { process, worker, stop, work, request, ended } = running;

    const statusOf = async (id: string) => (await running.subject.store.find(id))?.status;
    const texts = async () => (await running.subject.notes()).map(({ text }) => text).sort();
    const note = (id: string, text: string, hold: (tx: Tx) => Promise<void>) => running.subject.unitOfWork.run(async (tx) => {
      await running.subject.note(tx, id, text);
      await hold(tx);
    });
    /** A request in the hands of a worker that waits at a door and is silent from now on: its lease has run out. */
    const silent = async (handler: DurableHandler) => {
      const [late, line] = [gate(), cutLine(running.subject.jobStore)];
      const one = process(async (...given) => {
        await late.opened;
        await handler(...given);
      }, undefined, line.store);
      one.start();
      const id = await one.requests.enqueue(request('in time'));
      await eventually(async () => expect(await statusOf(id)).toBe('RUNNING'));
      await line.cut();
      await running.subject.endLeases();
      return { id, late };
    };

    it('are ended once: what it has done too late is not written', async () => {
      const { id, late } = await silent((asked, finish) => work({ ...asked, payload: { note: 'late' } }, finish));
      worker(work);
      await ended(id);
      late.open();
      await stop();
      expect(await texts()).toEqual(['in time']);
    });

    it('are not put back by it, while another works on them', async () => {
      const { id, late } = await silent(() => Promise.reject(new Error('too late')));
      const [begun, end] = [gate(), gate()];
      worker(async (asked, finish) => {
        begun.open();
        await end.opened;
        await work(asked, finish);
      });
      await begun.opened;
      late.open();
      await stop();
      expect(await statusOf(id)).toBe('RUNNING');
      end.open();
      expect([(await ended(id)).status, await texts()]).toEqual(['COMPLETED', ['in time']]);
    });

    it('have nothing written in the middle of them by it', async () => {
      const refused: unknown[] = [];
      const { id, late } = await silent((asked, _finish, _report, hold) => note(asked.id, 'a part, too late', hold).catch((error: unknown) => {
        refused.push(error);
        throw error;
      }));
      worker(async (asked, finish, _report, hold) => {
        await note(asked.id, 'a part', hold);
        await work(asked, finish);
      });
      await ended(id);
      late.open();
      // The worker that stops waits for it no longer than a moment.
      await eventually(() => expect(refused).not.toEqual([]));
      await stop();
      expect([refused.filter((error) => !(error instanceof LeaseLost)), await texts()]).toEqual([[], ['a part', 'in time']]);
    });
  });
}
