import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GENERATORS, staleAfter } from './generators';

const root = mkdtempSync(join(tmpdir(), 'twinyard-generated-'));
const generator = { command: 'unused', writes: /\.txt$/ };
afterAll(() => rmSync(root, { recursive: true }));

/** Stands for a command: writes these files. */
const writing = (files: Record<string, string>) => () => {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  return [];
};

describe('generated files', () => {
  it('are not stale when the generator writes what is there', () => {
    writeFileSync(join(root, 'one.txt'), 'same');
    expect(staleAfter(generator, root, writing({ 'one.txt': 'same', 'log.md': 'not ours' }))).toEqual([]);
  });

  it('are stale when the generator writes something else or something more, and are left as they were', () => {
    writeFileSync(join(root, 'one.txt'), 'old');
    expect(staleAfter(generator, root, writing({ 'one.txt': 'new', 'two.txt': 'more' }))).toEqual(['stale: one.txt (npm run generate)', 'stale: two.txt (npm run generate)']);
    expect(readFileSync(join(root, 'one.txt'), 'utf8')).toBe('old');
    expect(existsSync(join(root, 'two.txt'))).toBe(false);
  });

  it('come from commands that fail aloud', () => {
    expect(staleAfter(generator, root, () => ['boom'])).toEqual(['boom']);
  });

  it('each belong to one generator', () => {
    const paths = ['docs/events.md', 'docs/operations/settings.md', 'apps/aisvc/openapi.json', 'tools/sample/sample-building.ifc', 'libs/events/schemas/aisvc.Team.schema.json'];
    expect(paths.map((path) => GENERATORS.filter(({ writes }) => writes.test(path)).length)).toEqual(paths.map(() => 1));
  });
});
