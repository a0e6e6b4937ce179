import { isFinal, isRunState, moveTo, nextState, RUN_INPUTS, RUN_STATES, type RunInput, type RunState } from './run-state';

// The contract's sentence again, as pairs; all that is not named here must be refused.
const TOLD: Record<string, RunState> = {
  'QUEUED start': 'RUNNING', 'QUEUED requestCancel': 'REQUEST_CANCEL',
  'RUNNING start': 'RUNNING', 'RUNNING complete': 'COMPLETED', 'RUNNING fail': 'ERROR', 'RUNNING requestCancel': 'REQUEST_CANCEL',
  'REQUEST_CANCEL requestCancel': 'REQUEST_CANCEL', 'REQUEST_CANCEL stop': 'CANCELLED',
  'REQUEST_CANCEL complete': 'COMPLETED', 'REQUEST_CANCEL fail': 'ERROR',
};

describe('states of a run', () => {
  it.each(RUN_STATES.flatMap((state) => RUN_INPUTS.map((input): [RunState, RunInput] => [state, input])))('%s on %s goes where the table of states says, or nowhere', (state, input) => {
    const told = TOLD[`${state} ${input}`];
    expect(nextState(state, input)).toBe(told);
    if (told === undefined) expect(() => moveTo(state, input)).toThrow(state);
    if (told !== undefined) expect(moveTo(state, input)).toBe(told);
  });

  it('ends in COMPLETED, ERROR or CANCELLED, and from every other state an end can be reached', () => {
    expect(RUN_STATES.filter(isFinal)).toEqual(['COMPLETED', 'ERROR', 'CANCELLED']);
    const leadsToAnEnd = (state: RunState, seen: readonly RunState[] = []): boolean =>
      isFinal(state) || RUN_INPUTS.some((input) => {
        const next = nextState(state, input);
        return next !== undefined && !seen.includes(next) && leadsToAnEnd(next, [...seen, state]);
      });
    expect(RUN_STATES.filter((state) => !leadsToAnEnd(state))).toEqual([]);
  });

  it('knows its own words and no others', () => {
    expect(isRunState('QUEUED')).toBe(true);
    expect(isRunState('queued')).toBe(false);
    expect(isRunState('toString')).toBe(false);
  });
});
