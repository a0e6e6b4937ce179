/** A user's script and what it is called with. All of it is hostile until proven otherwise. */
export interface ScriptCall {
  /** An ES module. It can import nothing. */
  readonly source: string;
  /** The exported function that is called. Missing: the default export. */
  readonly entry?: string;
  /** JSON values; the script gets copies. */
  readonly arguments?: readonly unknown[];
  /** Whose script it is: threads and places in the queue are shared out among owners. */
  readonly owners?: readonly string[];
  /** What differs from `SCRIPT_LIMITS`. */
  readonly limits?: Partial<ScriptLimits>;
}

export interface ScriptLimits {
  /** From its first line to its result. Whoever takes longer loses its thread. */
  readonly timeMs: number;
  readonly memoryBytes: number;
  /** Of the source and the JSON of the arguments together. */
  readonly inputBytes: number;
  /** UTF-8 length of the JSON of the result. */
  readonly outputBytes: number;
  /** Characters of all lines on the console together; what is beyond is left out. */
  readonly consoleCharacters: number;
}

export const SCRIPT_LIMITS: ScriptLimits = Object.freeze({ timeMs: 5_000, memoryBytes: 64 * 1024 * 1024, inputBytes: 16 * 1024 * 1024, outputBytes: 10 * 1024 * 1024, consoleCharacters: 20_000 });

export interface ConsoleLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly text: string;
}

/** How a run ended, with what it had written to the console until then. */
export type ScriptOutcome = ScriptEnd & { readonly console: readonly ConsoleLine[] };

export type ScriptEnd =
  /** `result` is JSON; `undefined` where the function returned nothing. */
  | { readonly kind: 'returned'; readonly result: unknown }
  /** By the script, at whatever point; `message` is the script's own text. */
  | { readonly kind: 'threw'; readonly message: string; readonly stack?: string }
  /** It is no module that could be run: its syntax, or the function that it lacks. */
  | { readonly kind: 'unusable'; readonly message: string }
  | { readonly kind: 'stopped'; readonly limit: 'time' | 'memory' | 'stack' | 'input' | 'output'; readonly message: string };

/** What to tell its author; `undefined` when it ended well. */
export const complaintOf = (outcome: ScriptEnd): string | undefined => (outcome.kind === 'returned' ? undefined : outcome.message);
