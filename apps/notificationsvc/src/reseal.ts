// `node dist/apps/notificationsvc/src/reseal.js`, with the settings of notificationsvc: encrypts webhook secrets under
// SERVICE_TOKEN that are encrypted under SERVICE_TOKEN_PREVIOUS.
import { loadSettings, withDataSource } from '@twinyard/service-kit';
import { environment, notificationsvcSettings } from './config';
import { DeviceSecrets } from './resources/device-secrets';
import { resealSecrets } from './resources/reseal-secrets.repository';

async function main(): Promise<void> {
  const settings = loadSettings(notificationsvcSettings, environment);
  await withDataSource({ url: settings.DATABASE_URL }, async (dataSource) => {
    process.stdout.write(`${await resealSecrets(dataSource, new DeviceSecrets(settings))} webhook secrets encrypted anew\n`);
  });
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
