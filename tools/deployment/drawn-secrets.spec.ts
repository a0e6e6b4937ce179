import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '../checks/repository/repository';
import { openSecrets } from '../platform/kept-secrets';

const DRAWS = 10;
const LETTERS_AND_DIGITS = /^[A-Za-z0-9]{20,}$/;

function ofDeployment(): string {
  const drawn = execFileSync(process.execPath, [join(repositoryRoot(), 'deploy/secrets/make-secrets.mjs'), 'kubernetes'], { encoding: 'utf8' });
  return /"ADMIN_PASSWORD": *"([^"]+)"/.exec(drawn)?.[1] ?? '';
}

function ofOneMachine(): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'twinyard-secrets-'));
  try {
    return openSecrets({ dataDir } as Parameters<typeof openSecrets>[0]).adminPassword;
  } finally {
    rmSync(dataDir, { recursive: true });
  }
}

describe.each([['a deployment', ofDeployment], ['one machine', ofOneMachine]])("the manager's password that is drawn for %s", (_where, draw) => {
  it('has letters and digits alone, so that no command takes it for an option', () => {
    const drawn = Array.from({ length: DRAWS }, draw);
    expect(drawn.filter((password) => !LETTERS_AND_DIGITS.test(password))).toEqual([]);
    expect(new Set(drawn).size).toBe(DRAWS);
  });
});
