/** Contract 5, of runs and of their steps: QUEUED → RUNNING → COMPLETED | ERROR; REQUEST_CANCEL → CANCELLED. */
export const RUN_STATES = ['QUEUED', 'RUNNING', 'REQUEST_CANCEL', 'COMPLETED', 'ERROR', 'CANCELLED'] as const;
export type RunState = (typeof RUN_STATES)[number];

export const RUN_INPUTS = ['start', 'complete', 'fail', 'requestCancel', 'stop'] as const;
export type RunInput = (typeof RUN_INPUTS)[number];

const NEXT = {
  QUEUED: { start: 'RUNNING', requestCancel: 'REQUEST_CANCEL' },
  // It starts again when it is taken over from a worker that died.
  RUNNING: { start: 'RUNNING', complete: 'COMPLETED', fail: 'ERROR', requestCancel: 'REQUEST_CANCEL' },
  // What ends before the request is noticed has ended.
  REQUEST_CANCEL: { requestCancel: 'REQUEST_CANCEL', stop: 'CANCELLED', complete: 'COMPLETED', fail: 'ERROR' },
  COMPLETED: {},
  ERROR: {},
  CANCELLED: {},
} as const satisfies Record<RunState, Partial<Record<RunInput, RunState>>>;

/** `undefined`: the state does not take this input. */
export const nextState = (state: RunState, input: RunInput): RunState | undefined => (NEXT[state] as Partial<Record<RunInput, RunState>>)[input];

export const isFinal = (state: RunState) => Object.keys(NEXT[state]).length === 0;
/** Of runs that have not ended. */
export const OPEN_STATES: readonly RunState[] = RUN_STATES.filter((state) => !isFinal(state));

export const isRunState = (text: string): text is RunState => (RUN_STATES as readonly string[]).includes(text);

/** A move that the code itself makes: refused ones are faults of the code. */
export function moveTo(state: RunState, input: RunInput): RunState {
  const next = nextState(state, input);
  if (next === undefined) throw new Error(`A run or step that is ${state} does not take "${input}"`);
  return next;
}
