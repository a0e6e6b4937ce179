import { invalid } from '@twinyard/conventions';
import { FairShare, type Leave } from '@twinyard/service-kit';
import { XlsxFault } from '@twinyard/xlsx';
import type { StepContext } from '../step-context';

/** Who wants one, and until when. */
type Reader = Pick<StepContext, 'namespaces' | 'signal'>;

/** Packed. It is held while it is read; what it unpacks to passes by. */
export const MAX_WORKBOOK_BYTES = 50 * 1_048_576;
/** Workbooks that a process has in memory: tools/deployment/resources.ts counts them. One of a tenant; the others wait for their turn, each in its run. */
const IN_MEMORY = new FairShare({ places: 2, share: 0.5, waiting: { requests: 1_000, bytes: 0 }, waitMs: 86_400_000 });

/** Does the work of a step when it may have a workbook in memory. */
export async function inTurn<T>(step: StepContext, work: () => Promise<T>): Promise<T> {
  const leave = await enterWorkbooks(step);
  try {
    return await work();
  } finally {
    leave();
  }
}

/** What is wrong with a workbook is the fault of whoever has named it. */
export async function asInvalid<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toInvalid(error);
  }
}

export const toInvalid = (error: unknown): unknown => (error instanceof XlsxFault ? invalid(error.message) : error);

/** A place for one workbook, until it is left. Rejects with the reason of the signal, where that comes before its turn. */
export function enterWorkbooks({ namespaces: [tenant = ''], signal }: Reader): Promise<Leave> {
  return new Promise((resolve, reject) => {
    const entered = Promise.resolve(IN_MEMORY.enter(tenant));
    const giveUp = () => {
      reject(signal.reason as Error);
      entered.then((leave) => leave(), () => undefined);
    };
    if (signal.aborted) return giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    void entered.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });
}
