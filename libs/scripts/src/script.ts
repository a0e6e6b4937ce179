/** A user's script and what it is called with. All of it is hostile until proven otherwise. */
export interface ScriptCall {
  /** An ES module. It can import `modules`, and nothing else. */
  readonly source: string;
  /** What `import` says of it, for modules that import it back. */
  readonly name?: string;
  /** Sources of further ES modules, by what `import` says. */
  readonly modules?: Readonly<Record<string, string>>;
  /** The exported function that is called. Missing: the default export. */
  readonly entry?: string;
  /** JSON values; the script gets copies. */
  readonly arguments?: readonly unknown[];
  /** Whose script it is: threads and places in the queue are shared out among owners. */
  readonly owners?: readonly string[];
  /** What differs from `SCRIPT_LIMITS`. */
  readonly limits?: Partial<ScriptLimits>;
  /** What the script can do beside computing. */
  readonly bridge?: ScriptBridge;
  /** Ends the run, also in the middle of a loop. */
  readonly signal?: AbortSignal;
  /** Hears what it writes to its console as it comes. */
  readonly onLine?: (line: ConsoleLine) => void;
  /** Hears, once it has ended, for how many ms it kept its thread busy: the time in which it waits for answers is not among them. */
  readonly onBusy?: (ms: number) => void;
  /** Nothing is run: whether the script and what it imports are modules at all. */
  readonly parseOnly?: boolean;
}

/** Lets a script ask whoever runs it, while it waits. */
export interface ScriptBridge {
  /**
   * An ES module of ours. Its default export is called before the script is loaded, with `ask(name, input)`, which promises an answer; `whenAborted(told)`, which has a
   * function called once when the run is cancelled; and the array of arguments of the call. The array that it gives are the arguments that the script gets.
   */
  readonly prelude: string;
  /** Sources of what the prelude imports, by what it says; the script cannot. */
  readonly modules?: Readonly<Record<string, string>>;
  /**
   * Answers in JSON. What it rejects with is thrown in the script: `message`, and `status` and `code` where they are there. A prelude is no border: the script can change what it stands on,
   * and so ask anything.
   */
  answer(name: string, input: unknown, terms: AnswerTerms): Promise<unknown>;
}

export interface AnswerTerms {
  /** Nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** Of so many bytes, before an answer is read, each time that one is: as many as one of the largest has are in hand for a script at once. Given back when the answer is on its way, or another is read. */
  takeRoom(bytes: number): Promise<void>;
}

export interface ScriptLimits {
  /** In which it runs, from its first line to its result; not that in which it waits for answers. Whoever takes longer loses its thread. */
  readonly timeMs: number;
  readonly memoryBytes: number;
  /** Of the source and the JSON of the arguments together. */
  readonly inputBytes: number;
  /** UTF-8 length of the JSON of the result. */
  readonly outputBytes: number;
  /** Characters of all lines on the console together, and a hundred for each line; what is beyond is left out. */
  readonly consoleCharacters: number;
  /** Questions of the script that may be open at the same time. */
  readonly openQuestions: number;
  /** UTF-8 length of the JSON of one question, or of one answer. */
  readonly questionBytes: number;
}

export const SCRIPT_LIMITS: ScriptLimits = Object.freeze({
  timeMs: 5_000, memoryBytes: 64 * 1024 * 1024, inputBytes: 16 * 1024 * 1024, outputBytes: 10 * 1024 * 1024, consoleCharacters: 20_000,
  openQuestions: 32, questionBytes: 10 * 1024 * 1024,
});

export interface ConsoleLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly text: string;
}

/** How a run ended, with what it had written to the console until then. */
export type ScriptOutcome = ScriptEnd & { readonly console: readonly ConsoleLine[] };

export type ScriptEnd =
  /** `result` is JSON; `undefined` where the function returned nothing. */
  | { readonly kind: 'returned'; readonly result: unknown }
  /** By the script, at whatever point; `said`: in its own words alone, where it has any. */
  | { readonly kind: 'threw'; readonly message: string; readonly said: string; readonly stack?: string; readonly at?: ScriptPlace }
  /** It is no module that could be run: its syntax (`said` by the engine), or the function that it lacks. */
  | { readonly kind: 'unusable'; readonly message: string; readonly said?: string; readonly at?: ScriptPlace }
  | { readonly kind: 'stopped'; readonly limit: 'time' | 'memory' | 'stack' | 'input' | 'output'; readonly message: string }
  /** By `signal`. */
  | { readonly kind: 'cancelled'; readonly message: string };

/** Where in its own text a script threw; both count from 1. */
export interface ScriptPlace {
  /** What `import` says; missing: the script itself. */
  readonly module?: string;
  readonly line: number;
  readonly column: number;
}

/** What to tell its author; `undefined` when it ended well. */
export const complaintOf = (outcome: ScriptEnd): string | undefined => (outcome.kind === 'returned' ? undefined : outcome.message);

/** Of a script that is no module: what is wrong, with line and column. That it imports what is not there is another matter. */
export function syntaxFaultOf(outcome: ScriptEnd): string | undefined {
  if (outcome.kind !== 'unusable' || outcome.said === undefined) return undefined;
  const { at } = outcome;
  return `does not parse: ${outcome.said}${at ? ` (${placeOf(at)}, column ${at.column})` : ''}`;
}

/** `line 12`, or `script:units, line 3` */
export const placeOf = ({ module, line }: ScriptPlace): string => `${module === undefined ? '' : `${module}, `}line ${line}`;
