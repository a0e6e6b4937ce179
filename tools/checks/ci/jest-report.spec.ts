import { firstLines, type JestReport, type Outcome, outcomeOf } from './jest-report';

const report = (...tests: [status: string, fullName: string, message?: string][]): JestReport => ({
  testResults: [{
    name: 'one.spec.ts', status: 'passed', message: '',
    assertionResults: tests.map(([status, fullName, message]) => ({ status, fullName, ...(message !== undefined && { failureMessages: [message] }) })),
  }],
});
const outcome = (given: JestReport, reason?: string): Outcome => outcomeOf(given, () => reason);

describe('what a run of Jest says', () => {
  it('counts what passed, and names what failed with the first lines that were said of it', () => {
    const { passed, failures, skips } = outcome(report(['passed', 'a'], ['passed', 'b'], ['failed', 'c', '\u001b[31mError: 1 is not 2\u001b[39m\n\n    at one.spec.ts:3:4']));
    expect({ passed, skips }).toEqual({ passed: 2, skips: [] });
    expect(failures).toEqual([{ file: 'one.spec.ts', what: 'c', said: ['Error: 1 is not 2'], mayPassAgain: true }]);
  });

  it('takes a skipped test for a failed one, unless it may be skipped', () => {
    expect(outcome(report(['pending', 'a'], ['todo', 'b'])).failures).toMatchObject([{ what: 'a', mayPassAgain: false }, { what: 'b', mayPassAgain: false }]);
    expect(outcome(report(['pending', 'a']), 'there is no go')).toEqual({ passed: 0, failures: [], skips: [{ test: 'a', reason: 'there is no go' }], unsteady: [] });
  });

  it('tells of a test that held when it ran itself again', () => {
    const again = { testResults: [{ name: 'one.drill.ts', status: 'passed', message: '', assertionResults: [{ status: 'passed', fullName: 'a', invocations: 2, retryReasons: ['Error: too slow\n    at one.drill.ts:3:4'] }, { status: 'passed', fullName: 'b', invocations: 1, retryReasons: [] }] }] };
    expect(outcome(again)).toEqual({ passed: 2, failures: [], skips: [], unsteady: [{ file: 'one.drill.ts', test: 'a', said: ['Error: too slow'] }] });
  });

  it('takes a file that could not run for a failure', () => {
    const broken = { testResults: [{ name: 'two.spec.ts', status: 'failed', message: 'Cannot find module\n    at require (two.spec.ts:1:1)', assertionResults: [] }] };
    expect(outcome(broken).failures).toEqual([{ file: 'two.spec.ts', what: 'the file could not run', said: ['Cannot find module'], mayPassAgain: true }]);
  });

  it('leaves out what is long', () => {
    expect(firstLines(Array.from({ length: 50 }, (_, line) => `line ${line}`).join('\n'))).toHaveLength(8);
  });
});
