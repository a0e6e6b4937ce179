import type { Tx, UnitOfWork } from '@twinyard/service-kit';
import { type DurableRequestStore, type JobNotices, type JobStore, RequestSeal } from '../../src';

/** A store in the database of a service, whose work is a note about a request. */
export interface DurableRequestsSubject<T extends Tx> {
  readonly store: DurableRequestStore;
  readonly jobStore: JobStore;
  /** As another process would have. */
  notices(): JobNotices;
  readonly unitOfWork: UnitOfWork<T>;
  note(tx: T, requestId: string, text: string): Promise<void>;
  /** What is committed. */
  notes(): Promise<{ requestId: string; text: string }[]>;
  /** All leases have run out, as if their workers had fallen silent. */
  endLeases(): Promise<void>;
  /** As if a replica of the release before had accepted it, and worked on it until so long from now, in ms. */
  makeOld(requestId: string, kind: string, leasedForMs: number): Promise<void>;
  clear(): Promise<void>;
  close(): Promise<void>;
}

/** Stands for a cipher: bound to its context, and not the text itself. */
export class Backwards extends RequestSeal {
  override seal(text: string, context: string): string {
    return [...`${text}${context}`].reverse().join('');
  }

  override open(sealed: string, context: string): string {
    const text = [...sealed].reverse().join('');
    if (!text.endsWith(context)) throw new Error('of another context');
    return text.slice(0, -context.length);
  }
}
