import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { longFiles } from './long-files';
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
