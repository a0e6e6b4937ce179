import type { SandboxAnswer, SandboxCall } from '../engine/sandbox';
import type { ConsoleLine } from '../script';

/** What a thread is told while a script runs. */
export type Told =
  /** `json`: of the answer; missing where there is none. */
  | { readonly kind: 'answer'; readonly id: number; readonly json?: string }
  | { readonly kind: 'refusal'; readonly id: number; readonly error: Refusal }
  | { readonly kind: 'abort' };

export type ToThread = { readonly kind: 'run'; readonly call: SandboxCall } | Told;

/** What the script sees of an error of its host. */
export interface Refusal {
  readonly message: string;
  readonly status?: number;
  readonly code?: string;
}

/** What a thread says. */
export type FromThread =
  /** Its engine stands and the script begins: from now on its time counts. */
  | { readonly kind: 'begun' }
  | { readonly kind: 'line'; readonly line: ConsoleLine }
  | { readonly kind: 'question'; readonly id: number; readonly name: string; readonly json: string }
  /** The script can do nothing before it is told something; `heard`: how often it has been. */
  | { readonly kind: 'waits'; readonly heard: number }
  | { readonly kind: 'ended'; readonly answer: SandboxAnswer };

/** What is said between the thread and whoever runs it. */
export interface ThreadLine {
  tell(message: FromThread): void;
  /** The next that comes for the script that runs. */
  next(): Promise<Told>;
}
