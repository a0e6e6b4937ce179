import { type ChildProcess, fork, type StdioOptions } from 'node:child_process';
import { yieldToService } from './yield-to-service';

export interface ChildOrder {
  readonly args?: readonly string[];
  /** Of JavaScript; what its libraries take is beside it. */
  readonly heapMb: number;
  /** With `ipc` in fourth place. */
  readonly stdio: StdioOptions;
}

/** A compiled file in a process of its own, which knows nothing of the service: no settings, no connections. */
export function startChild(file: string, { args = [], heapMb, stdio }: ChildOrder): ChildProcess {
  const child = fork(file, [...args], { env: {}, execArgv: [`--max-old-space-size=${heapMb}`], stdio });
  yieldToService(child.pid);
  return child;
}

/** At its low priority it may take a second to die on a busy machine: a service that stops does not wait for that. */
export function endChild(child: ChildProcess): void {
  child.kill('SIGKILL');
  child.unref();
  child.channel?.unref();
}

/** The end of the heap is an abort. */
export const isOutOfHeap = (signal: NodeJS.Signals | null): boolean => signal === 'SIGABRT' || signal === 'SIGTRAP';
