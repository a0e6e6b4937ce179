import type { ChildProcess } from 'node:child_process';
import { endChild, isOutOfHeap } from './start-child';
import { watchProcess } from './watch-process';

export interface ChildTerms {
  /** Of the whole process; watched on Linux. */
  readonly memoryMb: number;
  /** Told at its end for how long it has kept processors busy; on Linux. */
  readonly worked: (ms: number) => void;
  readonly timeoutMs: number;
  /** Ends it; its answer rejects with the reason. */
  readonly signal: AbortSignal;
  readonly faults: ChildFaults;
}

/** What is said of a child that does not come to an answer. */
export interface ChildFaults {
  tooMuchMemory(): Error;
  tooLate(): Error;
  notStarted(cause: Error): Error;
  /** `how`: the signal, or its exit code. */
  ended(how: string): Error;
}

export interface Answering<T> {
  resolve(answer: T | PromiseLike<T>): void;
  reject(error: unknown): void;
}

/**
 * What a child answers that is started for one piece of work, and ended when it has done it, or has gone beyond its terms. `hear` listens to it; what it returns is
 * called when the process has ended, with the fault that this is where there was no answer. Without it that is the fault.
 */
export async function answerOfChild<T>(child: ChildProcess, terms: ChildTerms, hear: (answering: Answering<T>) => ((fault: Error) => void) | undefined): Promise<T> {
  const { memoryMb, worked, timeoutMs, signal, faults } = terms;
  let stop = (): void => undefined;
  try {
    return await new Promise<T>((resolve, reject) => {
      const timer = setTimeout(() => reject(faults.tooLate()), timeoutMs);
      const endWatch = watchProcess(child.pid, memoryMb, () => reject(faults.tooMuchMemory()));
      const abort = () => reject(signal.reason as Error);
      signal.addEventListener('abort', abort, { once: true });
      stop = () => {
        clearTimeout(timer);
        worked(endWatch());
        signal.removeEventListener('abort', abort);
      };
      const ended = hear({ resolve, reject }) ?? reject;
      child.once('error', (cause) => reject(faults.notStarted(cause)));
      // Behind all that it has said.
      child.once('close', (code, killed) => ended(isOutOfHeap(killed) ? faults.tooMuchMemory() : faults.ended(killed ?? `code ${code}`)));
    });
  } finally {
    stop();
    child.removeAllListeners();
    child.on('error', () => undefined);
    endChild(child);
  }
}
