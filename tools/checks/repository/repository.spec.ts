import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { longFiles } from './long-files';
import { missingTests, missingTitles } from './named-tests';
import { repositoryFiles, repositoryRoot } from './repository';
import { lockedAddresses, strayTraces, tracesIn } from './stray-traces';

const machine = ['', 'work', 'main'].join('/');
const registry = ['registry', 'npmjs', 'org'].join('.');
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'twinyard-checks-'));
  mkdirSync(join(root, 'apps/aisvc/src'), { recursive: true });
  mkdirSync(join(root, 'node_modules'));
});
afterEach(() => rmSync(root, { recursive: true }));

describe('the length of files', () => {
  it('is at most 300 lines, the line break at the end not counted', () => {
    writeFileSync(join(root, 'apps/aisvc/src/short.ts'), 'x\n'.repeat(300));
    expect(longFiles(root)).toEqual([]);
    writeFileSync(join(root, 'apps/aisvc/src/long.ts'), 'x\n'.repeat(301));
    expect(longFiles(root)).toEqual(['apps/aisvc/src/long.ts: 301 lines']);
  });

  it('does not count what is generated or installed', () => {
    for (const path of ['apps/aisvc/openapi.json', 'package-lock.json', 'node_modules/x.ts']) writeFileSync(join(root, path), '\n'.repeat(900));
    expect(longFiles(root)).toEqual([]);
  });
});

describe('the files of the repository', () => {
  it('are none that .gitignore leaves out, such as what engines and tests write', () => {
    for (const folder of readFileSync(join(repositoryRoot(), '.gitignore'), 'utf8').split('\n').filter((line) => line.endsWith('/'))) {
      mkdirSync(join(root, folder), { recursive: true });
      writeFileSync(join(root, folder, 'notes.txt'), machine);
    }
    expect(repositoryFiles(root)).toEqual([]);
  });
});

describe('tests that documents name', () => {
  it('are there, by their path or the end of it', () => {
    writeFileSync(join(root, 'apps/aisvc/src/teams.spec.ts'), '');
    writeFileSync(join(root, 'security.md'), 'see `apps/aisvc/src/teams.spec.ts`, src/teams.spec.ts › is so, teams.spec.ts; not ams.spec.ts, and apps/aisvc/test/gone.http.spec.ts (all)');
    expect(missingTests(root)).toEqual(['security.md: names ams.spec.ts, which is not there', 'security.md: names apps/aisvc/test/gone.http.spec.ts, which is not there']);
  });

  it('are so in this repository', () => {
    expect(missingTests(repositoryRoot())).toEqual([]);
  });
});

describe('titles of tests that documents name', () => {
  const TESTS = `describe('a team', () => {
    it('is made once, whoever else makes it', () => undefined);
    it("is nobody else's", () => undefined);
    it.each([
      ['no name', 400],
    ])('is refused with %s (%d), and told so', () => undefined);
    it.each(KINDS)(\`is shown as \${kind}\`, () => undefined);
  });`;
  const named = (...cells: string[]) => {
    writeFileSync(join(root, 'apps/aisvc/src/teams.spec.ts'), TESTS);
    writeFileSync(join(root, 'security.md'), ['Tests are in `apps/aisvc/src` unless a path is given.', '', ...cells.map((cell) => `| rule | src/gone.spec.ts › prose | ${cell} |`)].join('\n'));
    return missingTitles(root);
  };

  it('are there, whole or by their beginning; `…` stands for what they leave open or the document leaves out', () => {
    expect(named(
      'teams › is made once; is nobody else\'s; src/teams.spec.ts › a team (all)',
      'apps/aisvc/src/teams.spec.ts › is refused with … (2); is refused with …, and told so; is … as … (kinds)',
      'teams (all); apps/aisvc (specs); `npm test`', '4.1.3 above', '',
    )).toEqual([]);
  });

  it.each([
    ['teams › is made twice', 'names "is made twice", which is no title in teams'],
    ['teams › is made once; is made on', 'names "is made on", which is no title in teams'],
    ['teams › is refused with …, and not told', 'names "is refused with …, and not told", which is no title in teams'],
    ['src/teams.spec.ts › made once', 'names "made once", which is no title in src/teams.spec.ts'],
    ['flows › is made once', 'names flows, which is not there'],
    ['flows (all)', 'names flows, which is not there'],
  ])('are missed where they are not: %s', (cell, fault) => {
    expect(named(cell)).toEqual([`security.md: ${fault}`]);
  });

  it('are there in this repository', () => {
    expect(missingTitles(repositoryRoot())).toEqual([]);
  });
});

describe('traces of a machine', () => {
  it('are found with file and line', () => {
    writeFileSync(join(root, 'notes.md'), `one\nsee ${machine}/x\n`);
    expect(strayTraces(root)).toEqual([`notes.md:2: a path of a machine: see ${machine}/x`]);
  });

  it('are registry hosts too', () => {
    expect(tracesIn(`https://${registry}/nx`)).toHaveLength(1);
  });

  it('are not addresses of an API or relative paths', () => {
    expect(tracesIn('https://example.com/home/page\n../work/x\n/aisvc/api/v1/teams\nhttps://www.npmjs.com/package/nx')).toEqual([]);
  });
});

describe('the lock file', () => {
  it('has no addresses', () => {
    const packages = { 'node_modules/nx': { integrity: 'sha512-x' }, 'node_modules/pg': { resolved: `https://${registry}/pg.tgz` } };
    expect(lockedAddresses(JSON.stringify({ packages }))).toEqual(['package-lock.json: node_modules/pg has an address']);
  });
});
