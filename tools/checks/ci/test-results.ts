/** What this needs of the file that `jest --json --outputFile` writes. */
export interface JestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly SuiteResult[];
}

interface SuiteResult {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
}

export interface TestSums {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** What a reader of the log has to see: what failed and what was skipped, by name. */
  readonly lines: readonly string[];
}

/** A line of allowed-skips.txt: `<name>`, or `<name> when missing: <path>, …`; a name is a test's full name or its beginning and `*`. */
export interface AllowedSkip {
  readonly name: string;
  /** Any of these paths. */
  readonly whenMissing?: readonly string[];
  /** Printed with the name, when it is known. */
  readonly reason?: string;
}

export function parseAllowedSkips(text: string): AllowedSkip[] {
  const lines = text.split('\n').map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => {
    const [name = '', whenMissing] = line.split(' when missing: ');
    return { name, ...(whenMissing !== undefined && { whenMissing: whenMissing.split(', ') }) };
  });
}

/** The sums of a run of Jest. A skipped test that is not allowed counts as failed, and so does a suite that could not run. */
export function sumUp(report: JestReport, allowed: readonly AllowedSkip[], isAtHand: (path: string) => boolean): TestSums {
  const tests = report.testResults.flatMap((suite) => suite.assertionResults);
  const allowing = (name: string) => allowed.find((skip) => covers(skip, name) && (skip.whenMissing === undefined || !skip.whenMissing.every(isAtHand)));
  const named = (...statuses: string[]) => tests.filter(({ status }) => statuses.includes(status)).map(({ fullName }) => fullName);
  const skipped = named('pending', 'skipped', 'todo', 'disabled');
  const refused = skipped.filter((name) => !allowing(name));
  const failed = named('failed');
  const broken = report.testResults.filter((suite) => suite.status === 'failed' && !suite.assertionResults.some(({ status }) => status === 'failed'));
  return {
    passed: named('passed').length,
    failed: failed.length + refused.length + broken.length,
    skipped: skipped.length - refused.length,
    lines: [
      ...failed.map((name) => `failed: ${name}`),
      ...broken.map((suite) => `could not run: ${suite.name}: ${suite.message.trim().split('\n')[0]}`),
      ...refused.map((name) => `skipped and not allowed to be: ${name}`),
      ...skipped.filter(allowing).map((name) => `skipped: ${name}${because(allowing(name))}`),
    ],
  };
}

const because = (skip: AllowedSkip | undefined) => (skip?.reason === undefined ? '' : ` (${skip.reason})`);

const covers = ({ name }: AllowedSkip, test: string) => (name.endsWith('*') ? test.startsWith(name.slice(0, -1)) : test === name);
