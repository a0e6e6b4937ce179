import { type JestReport, parseAllowedSkips, sumUp } from './test-results';

const report = (...tests: [status: string, fullName: string][]): JestReport => ({
  numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0,
  testResults: [{ name: 'one.spec.ts', status: 'passed', message: '', assertionResults: tests.map(([status, fullName]) => ({ status, fullName })) }],
});
const sums = (given: JestReport, skips = '', there: readonly string[] = []) => sumUp(given, parseAllowedSkips(skips), (path) => there.includes(path));

describe('the sums of a test run', () => {
  it('count what passed and what failed, and name the latter', () => {
    expect(sums(report(['passed', 'a'], ['passed', 'b'], ['failed', 'c']))).toEqual({ passed: 2, failed: 1, skipped: 0, lines: ['failed: c'] });
  });

  it('take a skipped test for a failed one', () => {
    expect(sums(report(['pending', 'a'], ['todo', 'b']))).toMatchObject({ passed: 0, failed: 2, skipped: 0 });
  });

  it('let a skip pass that is listed, by name or by how it begins', () => {
    expect(sums(report(['pending', 'the model is read']), '# why\nthe model is read\n')).toMatchObject({ failed: 0, skipped: 1, lines: ['skipped: the model is read'] });
    expect(sums(report(['pending', 'the model is read']), 'the model *')).toMatchObject({ failed: 0, skipped: 1 });
  });

  it('let a skip for want of a folder pass only where the folder is missing', () => {
    const skips = 'the model * when missing: ../shared/data';
    expect(sums(report(['pending', 'the model is read']), skips)).toMatchObject({ failed: 0, skipped: 1 });
    expect(sums(report(['pending', 'the model is read']), skips, ['../shared/data'])).toMatchObject({ failed: 1, skipped: 0 });
    expect(sums(report(['pending', 'the model is read']), `${skips}, ../shared/spec`, ['../shared/data'])).toMatchObject({ failed: 0, skipped: 1 });
  });

  it('say why a test was skipped, where the run has said it', () => {
    expect(sumUp(report(['pending', 'on minio a']), [{ name: 'on minio a', reason: 'go not found' }], () => true)).toMatchObject({ failed: 0, skipped: 1, lines: ['skipped: on minio a (go not found)'] });
  });

  it('take a suite that could not run for a failure', () => {
    const broken = { ...report(), testResults: [{ name: 'two.spec.ts', status: 'failed', message: 'Cannot find module\n  at', assertionResults: [] }] };
    expect(sums(broken)).toEqual({ passed: 0, failed: 1, skipped: 0, lines: ['could not run: two.spec.ts: Cannot find module'] });
  });
});
