/** `npm run generate` runs this: the tables of settings in docs/operations/settings.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../checks/repository/repository';
import { withTables } from './settings-page';
import { settingsTables } from './settings-table';

async function main(): Promise<void> {
  const file = join(repositoryRoot(), 'docs', 'operations', 'settings.md');
  writeFileSync(file, withTables(readFileSync(file, 'utf8'), await settingsTables()));
}

void main().then(() => process.exit(0));
