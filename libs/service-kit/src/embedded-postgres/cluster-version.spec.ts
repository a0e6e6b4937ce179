import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requireSameMajor } from './cluster-version';

describe('a folder of databases', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'twinyard-version-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const madeBy = (version: string) => {
    mkdirSync(join(folder, 'cluster'));
    writeFileSync(join(folder, 'cluster', 'PG_VERSION'), `${version}\n`);
  };

  it.each([['99', 'a newer'], ['9.6', 'an older']])('of PostgreSQL %s is refused as that of %s version, with what to do, and stays as it is', (version, words) => {
    madeBy(version);
    expect(() => requireSameMajor(folder)).toThrow(
      new RegExp(`^The database in ${folder} was made by ${words} version of Twinyard: it is of PostgreSQL ${version}, and this version has PostgreSQL \\d+\\. Start that version again, or set DATA_DIR to another folder\\.$`),
    );
    expect(readdirSync(folder, { recursive: true }).sort()).toEqual(['cluster', 'cluster/PG_VERSION']);
  });

  it('that is new is taken', () => {
    expect(() => requireSameMajor(folder)).not.toThrow();
    expect(readdirSync(folder)).toEqual([]);
  });
});
