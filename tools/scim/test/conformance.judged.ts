import { spawnSync } from 'node:child_process';
import { environment } from '../../judges/config';
import { areJudgesThere, judgedIn } from '../../judges/test/judged';
import { type PassportProcess, startPassportProcess } from './passport-process';

const SUITE = 'passportsvc, judged by others as a SCIM server';
const PATIENCE_MS = 300_000;
/** What they did when this was written: fewer would mean that they have found less of the service than there is. */
const SCIM2_CHECKS = 109;
const SANITY_PROBES = 18;

/** A busy machine may take longer for an answer than the five seconds of scim2-cli, for which it has no option. */
const ANSWER_SECONDS = 120;
const PATIENT_SCIM2 = `
from httpx2._config import DEFAULT_TIMEOUT_CONFIG as patience
patience.connect = patience.read = patience.write = patience.pool = ${ANSWER_SECONDS}
from scim2_cli import cli
cli(prog_name="scim2")
`;

const judged = judgedIn(SUITE);

describe(SUITE, () => {
  let passport: PassportProcess;

  beforeAll(async () => {
    if (areJudgesThere) passport = await startPassportProcess();
  }, PATIENCE_MS);
  afterAll(() => passport?.stop());

  judged('passes every check of scim2-tester', ({ python }) => {
    const { output, status } = run(python, ['-c', PATIENT_SCIM2, '--url', passport.scimUrl, 'test', '--verbose'], { SCIM_CLI_HEADERS: `Authorization: Bearer ${passport.token}` });
    const checks = [...output.matchAll(/^([A-Z]+) (\w+)$/gm)].map(([, result, name]) => ({ result, name }));
    expect({ status, notPassed: checks.filter(({ result }) => result !== 'SUCCESS'), output: status === 0 ? '' : output }).toEqual({ status: 0, notPassed: [], output: '' });
    expect(checks.length).toBeGreaterThanOrEqual(SCIM2_CHECKS);
  });

  judged('passes every probe of scim-sanity, strictly', ({ scimSanity }) => {
    const { output, status } = run(scimSanity, ['probe', passport.scimUrl, '--token', passport.token, '--strict', '--timeout', String(ANSWER_SECONDS), '--json-output', '--i-accept-side-effects']);
    const { summary, issues } = JSON.parse(output) as { readonly summary: Record<string, number>; readonly issues: readonly unknown[] };
    expect({ status, issues, failed: summary['failed'], errors: summary['errors'], warnings: summary['warnings'] }).toEqual({ status: 0, issues: [], failed: 0, errors: 0, warnings: 0 });
    expect(summary['passed']).toBeGreaterThanOrEqual(SANITY_PROBES);
  });
});

function run(command: string, args: readonly string[], variables: Record<string, string> = {}): { readonly output: string; readonly status: number | null } {
  const { stdout, stderr, status } = spawnSync(command, args, { encoding: 'utf8', env: { ...environment, NO_COLOR: '1', ...variables }, timeout: PATIENCE_MS });
  return { output: (status === 0 ? stdout : `${stdout}${stderr}`).trim(), status };
}
