// `node dist/apps/passportsvc/src/mailboxes.js`, with the settings of passportsvc; see USAGE.
import { endWith, loadSettings, printLine, withDataSource } from '@twinyard/service-kit';
import { environment, passportSettings } from './config';
import { runMailboxesCommand, USAGE } from './users/mailboxes-command';
import { SharedMailboxesRepository } from './users/shared-mailboxes.repository';

async function main(): Promise<number> {
  const settings = loadSettings(passportSettings, environment);
  return withDataSource({ url: settings.DATABASE_URL }, (dataSource) => runMailboxesCommand(process.argv.slice(2), new SharedMailboxesRepository(dataSource), printLine));
}

endWith(main, { usage: USAGE, failed: 2 });
