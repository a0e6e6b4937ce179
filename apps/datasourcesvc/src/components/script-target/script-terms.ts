import type { ScriptLimits } from '@twinyard/scripts';

/** What settings say of scripts. */
export interface ScriptTerms {
  /** Scripts at once, of runs that were queued: as many as a process has of these, so that each may wait for another run. */
  readonly threads: number;
  /** Of runs inside of requests, beside those: tools/deployment/resources.ts counts what they take. */
  readonly instantThreads: number;
  /** In which one may run where neither its step nor its run says. */
  readonly seconds: number;
}

const MB = 1024 * 1024;

/** Contract 5. */
export const LIMITS: Partial<ScriptLimits> = { memoryBytes: 128 * MB, outputBytes: MB, consoleCharacters: MB, inputBytes: 16 * MB, openQuestions: 8, questionBytes: 10 * MB };
