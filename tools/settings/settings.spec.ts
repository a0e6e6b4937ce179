import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../checks/repository/repository';
import { withTables } from './settings-page';
import { settingsTables } from './settings-table';

describe('the tables of settings', () => {
  it('are the ones in docs/operations/settings.md (else: npm run generate)', async () => {
    const page = readFileSync(join(repositoryRoot(), 'docs', 'operations', 'settings.md'), 'utf8');
    expect(withTables(page, await settingsTables())).toBe(page);
  });

  it('say of each setting its default and what it means', async () => {
    const rows = (await settingsTables()).split('\n').filter((line) => line.startsWith('| `'));
    expect(rows.length).toBeGreaterThan(20);
    expect(rows.filter((row) => !/^\| `[A-Z0-9_]+` \| [^|]+ \| \S.+ \|$/.test(row))).toEqual([]);
  });
});
