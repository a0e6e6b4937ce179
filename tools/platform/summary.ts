import { existsSync } from 'node:fs';
import { SERVICES } from '@twinyard/conventions';
import type { PlatformSettings } from './config';
import { demoClientFile } from './demo-client';
import type { KeptSecrets } from './kept-secrets';

/** What somebody who has just started the platform wants to know. The password is printed when it is made and never again. */
export function summary({ baseUrl, adminEmail, dataDir }: PlatformSettings, secrets: KeptSecrets, seconds: number): string {
  const client = demoClientFile(dataDir);
  const rows = [
    ['Address', baseUrl],
    ['Sign in as', adminEmail],
    ['Password', passwordWords(secrets)],
    ['References', `${baseUrl}/<service>/api/docs for ${SERVICES.join(', ')}`],
    ...(existsSync(client) ? [['Demo client', `kept in ${client}`]] : []),
    ['Data', dataDir],
    ['Stop', 'Ctrl-C'],
  ];
  return ['', `  Twinyard is ready, after ${seconds.toFixed(1)} s.`, '', ...rows.map(([name, value]) => `  ${String(name).padEnd(12)}${value}`), ''].join('\n');
}

function passwordWords({ adminPassword, adminPasswordFile, isAdminPasswordNew }: KeptSecrets): string {
  if (adminPasswordFile === undefined) return 'the ADMIN_PASSWORD of the first start';
  return isAdminPasswordNew ? `${adminPassword} (shown once, kept in ${adminPasswordFile})` : `kept in ${adminPasswordFile}`;
}
