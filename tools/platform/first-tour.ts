import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PlatformSettings } from './config';
import { demoClientFile, tryIt } from './demo-client';
import type { KeptSecrets } from './kept-secrets';
import type { PlatformLog } from './platform-log';

const TOUR = join(__dirname, '..', 'tour', 'main.js');

/**
 * At the first start the platform does its main job once, on the sample that it ships, through its public API. When that fails, the
 * next start tries again.
 */
export async function runFirstTour(settings: PlatformSettings, secrets: KeptSecrets, log: PlatformLog, stopped: AbortSignal): Promise<void> {
  const marker = join(settings.dataDir, 'tour-done');
  if (!settings.demo || existsSync(marker) || !existsSync(TOUR)) return;
  log.plain('\n  The first start runs the main job on a small building (leave it out with --no-demo):');
  const code = await runTour(settings, secrets, stopped);
  if (stopped.aborted) return;
  if (code !== 0) return log.error('the tour failed; the platform runs on, and the next start tries it again', { code });
  writeFileSync(marker, `${new Date().toISOString()}\n`);
  log.plain(tryIt(settings.dataDir));
}

function runTour(settings: PlatformSettings, secrets: KeptSecrets, stopped: AbortSignal): Promise<number> {
  const env = {
    ...settings.inherited,
    TOUR_BASE_URL: settings.baseUrl,
    TOUR_ADMIN_EMAIL: settings.adminEmail,
    TOUR_ADMIN_PASSWORD: secrets.adminPassword,
    TOUR_MAIL_DIR: join(settings.dataDir, 'mail'),
    TOUR_CLIENT_FILE: demoClientFile(settings.dataDir),
  };
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [TOUR], { env, stdio: ['ignore', 'inherit', 'inherit'] });
    const stop = () => child.kill('SIGTERM');
    stopped.addEventListener('abort', stop, { once: true });
    child.once('error', () => resolve(1));
    child.once('exit', (code) => {
      stopped.removeEventListener('abort', stop);
      resolve(code ?? 1);
    });
  });
}
