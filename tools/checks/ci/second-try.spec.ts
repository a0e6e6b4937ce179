import type { Failure, Outcome } from './jest-report';
import { withSecondTry } from './second-try';

const failure = (file: string, what: string, mayPassAgain = true): Failure => ({ file, what, said: ['why'], mayPassAgain });
const outcome = (passed: number, ...failures: Failure[]): Outcome => ({ passed, failures, skips: [], unsteady: [] });

describe('a second try', () => {
  it('counts what then holds as passed, and tells of it', async () => {
    const first = outcome(5, failure('a', 'one'), failure('a', 'two'));
    expect(await withSecondTry(first, () => Promise.resolve(outcome(4)))).toEqual({
      passed: 7, failures: [], skips: [], unsteady: [{ file: 'a', test: 'one', said: ['why'] }, { file: 'a', test: 'two', said: ['why'] }],
    });
  });

  it('leaves a failure where the file fails again, whichever of its tests it is', async () => {
    const { passed, failures, unsteady } = await withSecondTry(outcome(5, failure('a', 'one'), failure('b', 'two')), (file) => Promise.resolve(file === 'a' ? outcome(3, failure('a', 'three')) : outcome(2)));
    expect({ passed, unsteady: unsteady.map(({ test }) => test), failures: failures.map(({ what }) => what) }).toEqual({ passed: 6, unsteady: ['two'], failures: ['three'] });
  });

  it('counts all tests of a file that did not come to run at first', async () => {
    expect(await withSecondTry(outcome(5, failure('a', 'the file could not run')), () => Promise.resolve(outcome(4)))).toMatchObject({ passed: 9, failures: [], unsteady: [{ file: 'a' }] });
  });

  it('is not given to what was skipped without a reason, nor to more files than accidents explain', async () => {
    const never = () => Promise.reject(new Error('not to be run'));
    const skipped = outcome(1, failure('a', 'one', false), { what: 'npm test ended with 1', said: [], mayPassAgain: false });
    expect(await withSecondTry(skipped, never)).toMatchObject(skipped);
    const many = outcome(1, ...['a', 'b', 'c', 'd', 'e'].map((file) => failure(file, 'one')));
    expect(await withSecondTry(many, never)).toMatchObject(many);
  });
});
