import { closingPage, type Step } from './closing-page';

const step = (name: string, rest: Partial<Step> = {}): Step => ({ name, seconds: 61.4, passed: 10, failures: [], skips: [], unsteady: [], ...rest });

describe('the closing page', () => {
  it('tells times, skips by reason, what was unsteady, what was not run and what failed, and the sums last', () => {
    const skips = ['a', 'b', 'c'].map((test) => ({ test, reason: test === 'a' ? 'there is no go' : 'no $text' }));
    const page = closingPage({
      steps: [step('npm test', { skips }), step('npm run test:engines', {
        unsteady: [{ file: 'x.engines.ts', test: 'holds', said: ['it did not'] }],
        failures: [{ file: 'y.engines.ts', what: 'counts', said: ['1 is not 2'], mayPassAgain: true }],
      })],
      notRun: ['npm run test:oidc'],
      seconds: 1_325,
    });
    expect(page).toEqual([
      '', '== the run, in 22 min 5 s',
      '    61 s  npm test: 10 passed', '    61 s  npm run test:engines: 10 passed, 1 FAILED',
      'skipped: 2, no $text', 'skipped: 1, there is no go',
      'unsteady: x.engines.ts: holds', '    it did not',
      'not run: npm run test:oidc: no time was left for it',
      'FAILED: y.engines.ts: counts', '    1 is not 2',
      '20 passed, 1 failed, 3 skipped',
    ]);
  });

  it('ends with the sums alone when all is well', () => {
    expect(closingPage({ steps: [step('types', { passed: 1 })], notRun: [], seconds: 5 }).at(-1)).toBe('1 passed, 0 failed');
  });
});
