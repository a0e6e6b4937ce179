// `node dist/apps/passportsvc/src/mailboxes.js`, with the settings of passportsvc; see USAGE.
import { createDataSource, endWith, loadSettings } from '@twinyard/service-kit';
import { environment, passportSettings } from './config';
import { runMailboxesCommand, USAGE } from './users/mailboxes-command';
import { SharedMailboxesRepository } from './users/shared-mailboxes.repository';

async function main(): Promise<number> {
  const settings = loadSettings(passportSettings, environment);
  const dataSource = await createDataSource({ url: settings.DATABASE_URL, entities: [], migrations: [], poolSize: 1 }).initialize();
  try {
    return await runMailboxesCommand(process.argv.slice(2), new SharedMailboxesRepository(dataSource), (line) => process.stdout.write(`${line}\n`));
  } finally {
    await dataSource.destroy();
  }
}

endWith(main, { usage: USAGE, failed: 2 });
