import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

export type Secrets = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** What deploy/secrets makes: user of secrets → name → a value drawn just now. */
export function madeSecrets(root: string): Secrets {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'deploy', 'secrets', 'make-secrets.mjs'), 'kubernetes'], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`make-secrets ended with ${status}: ${stderr}`);
  const { items } = JSON.parse(stdout) as { items: { metadata: { name: string }; stringData: Record<string, string> }[] };
  return Object.fromEntries(items.map(({ metadata, stringData }) => [metadata.name, stringData]));
}
