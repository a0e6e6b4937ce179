import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { knownMigrations } from './known-migrations';

const ROOT = join(__dirname, '..', '..');
const MIGRATION = /class (\w+) implements MigrationInterface/g;

it('knows every migration of the product, by the name that TypeORM keeps', () => {
  const files = ['apps', 'libs'].flatMap((folder) => readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(ROOT, folder, name)));
  const sources = files.filter((file) => /[\\/]src[\\/].*(?<!\.spec)\.ts$/.test(file));
  const names = sources.flatMap((file) => [...readFileSync(file, 'utf8').matchAll(MIGRATION)].map(([, name]) => name));
  expect(names.length).toBeGreaterThan(50);
  expect([...knownMigrations()].sort()).toEqual([...names].sort());
});
