import { existsSync } from 'node:fs';
import type { PlatformSettings } from './config';
import { demoClientFile } from './demo-client';
import type { KeptSecrets } from './kept-secrets';

/**
 * What somebody who has just started the platform wants to know, in a few lines: with those of npm, of a first start and of its tour they take one screen, at later
 * starts half of one. The password is printed when it is made and never again.
 */
export function summary({ baseUrl, adminEmail, dataDir }: PlatformSettings, secrets: KeptSecrets, seconds: number): string {
  const client = demoClientFile(dataDir);
  const rows = [
    ['Reference', `${baseUrl}/reference`],
    ['Sign in as', `${adminEmail}, password ${passwordWords(secrets)}`],
    ...(existsSync(client) ? [['Demo client', `kept in ${client}`]] : []),
  ];
  return [`  Twinyard is ready at ${baseUrl}, after ${seconds.toFixed(1)} s. Ctrl-C stops it.`, ...rows.map(([name, value]) => `  ${String(name).padEnd(12)}${value}`)].join('\n');
}

function passwordWords({ adminPassword, adminPasswordFile, isAdminPasswordNew }: KeptSecrets): string {
  if (adminPasswordFile === undefined) return 'as ADMIN_PASSWORD was at the first start';
  return isAdminPasswordNew ? `${adminPassword} (shown once, kept in ${adminPasswordFile})` : `kept in ${adminPasswordFile}`;
}
