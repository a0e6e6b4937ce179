import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';

export interface GoModule {
  readonly module: string;
  readonly version: string;
}

export const GATEWAY_API: GoModule = { module: 'sigs.k8s.io/gateway-api', version: 'v1.4.1' };

/** Where its sources lie, downloaded when they are not there; where they cannot be had, it is said why. `from`: any folder outside of a Go module. */
export function moduleFolder({ module, version }: GoModule, from: string, say: (line: string) => void): string | undefined {
  mkdirSync(from, { recursive: true });
  const { status, stdout, stderr, error } = spawnSync('go', ['mod', 'download', '-json', `${module}@${version}`], {
    cwd: from, encoding: 'utf8', timeout: 600_000, env: { ...process.env, GOFLAGS: '-mod=mod', GO111MODULE: 'on' },
  });
  if (status === 0) return (JSON.parse(stdout) as { Dir: string }).Dir;
  say(`${module} cannot be had: ${error?.message ?? (stderr || stdout).trim()}`);
  return undefined;
}
