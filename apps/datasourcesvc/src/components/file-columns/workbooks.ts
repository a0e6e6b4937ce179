import { invalid } from '@twinyard/conventions';
import { type Entering, enterPlaces, FairShare, inPlaces, type Leave } from '@twinyard/service-kit';
import { XlsxFault } from '@twinyard/xlsx';

/** Packed. It is held while it is read; what it unpacks to passes by. */
export const MAX_WORKBOOK_BYTES = 50 * 1_048_576;
/** Workbooks that a process has in memory: tools/deployment/resources.ts counts them. One of a tenant; the others wait for their turn, each in its run. */
const IN_MEMORY = new FairShare({ places: 2, share: 0.5, waiting: { requests: 1_000, bytes: 0 }, waitMs: 86_400_000 });

/** Does the work of a step when it may have a workbook in memory. */
export const inTurn = <T>(step: Entering, work: () => Promise<T>): Promise<T> => inPlaces(IN_MEMORY, step, work);

/** What is wrong with a workbook is the fault of whoever has named it. */
export async function asInvalid<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toInvalid(error);
  }
}

export const toInvalid = (error: unknown): unknown => (error instanceof XlsxFault ? invalid(error.message) : error);

/** A place for one workbook, until it is left. */
export const enterWorkbooks = (step: Entering): Promise<Leave> => enterPlaces(IN_MEMORY, step);
