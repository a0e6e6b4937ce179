/** A worker in a process of its own, to be killed at a step: `node job-process.js <step> <address of the subject> …`. Each job is a note. */
import { type JobHandler, LONGEST_LEASE_MS } from '../src';
import { CROWDED, JobProcess, NEVER, NOTE } from './jobs-subject';
import { joinSubject } from './killed/join-subject';

/**
 * Before the commit of the claim; after it; in the work; after what the work writes, and before the end of the job; after both, and before their commit; after that, and
 * before the next claim; before the claim that is to end the job of a handler that just returned.
 */
export const STEPS = ['claiming', 'claimed', 'working', 'written', 'ended', 'finished', 'returned'] as const;
export type Step = (typeof STEPS)[number];

async function main([step, ...address]: readonly string[]): Promise<void> {
  const subject = await joinSubject(address);
  const { store } = subject;
  const halt = (): Promise<never> => {
    process.send?.(step);
    return new Promise(() => undefined);
  };
  const at = async (here: Step): Promise<void> => (step === here ? halt() : undefined);
  if (step === 'claiming') subject.haltClaims(halt);
  const claim = store.claim.bind(store);
  store.claim = async (...given) => {
    if (given[1].length > 0) await at('returned');
    const claimed = await claim(...given);
    if (claimed.jobs.length > 0) await at('claimed');
    return claimed;
  };
  const handler: JobHandler<{ text: string }> = {
    run: async (held) => {
      await at('working');
      await subject.unitOfWork.run(async (tx) => {
        await subject.note(tx, `${held.payload.text}, attempt ${held.attempt}`);
        await at('written');
        if (step !== 'returned') await held.finish(tx);
        await at('ended');
      });
      await at('finished');
    },
  };
  new JobProcess(subject).start(handler, step === NEVER ? {} : { leaseMs: LONGEST_LEASE_MS }, step === NEVER ? CROWDED : NOTE);
}

void main(process.argv.slice(2));
process.once('disconnect', () => process.exit(0));
