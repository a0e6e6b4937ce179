import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readNotes, runSuite } from './run-suite';

const LIMIT_MS = 120_000;

describe('a suite', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'twinyard-suite-'));
    write('package.json', JSON.stringify({ scripts: { 'test:long': `"${process.execPath}" "${require.resolve('jest/bin/jest')}" --rootDir . --config {}` } }));
    write('tools/checks/allowed-skips.txt', 'is for another machine when missing: no-such-program\n');
    write('steady.test.js', "it('is steady', () => {}); it.skip('is for another machine', () => {});");
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  };
  const run = (hasSecondTry: boolean, limitMs = LIMIT_MS) => runSuite({ args: ['run', '--silent', 'test:long'], hasSecondTry }, { root, deadline: Date.now() + limitMs, output: 'keep' });
  /** Fails the first time that it is run, as if by chance. */
  const plantUnsteady = () => write('chance.test.js', "const fs = require('fs'); it('holds sometimes', () => { if (!fs.existsSync('ran')) { fs.writeFileSync('ran', ''); throw new Error('not this time'); } });");

  it('is told with its skips and their reason', async () => {
    expect(await run(true)).toEqual({ passed: 1, failures: [], unsteady: [], skips: [{ test: 'is for another machine', reason: 'there is no no-such-program' }] });
  });

  it('tells of a planted unsteady test, which holds when its file is run alone', async () => {
    plantUnsteady();
    expect(await run(true)).toMatchObject({ passed: 2, failures: [], unsteady: [{ file: 'chance.test.js', test: 'holds sometimes', said: ['Error: not this time'] }] });
  });

  it('tells of a test that runs itself again until it holds, second try or not', async () => {
    write('chance.test.js', "let runs = 0; jest.retryTimes(1, { logErrorsBeforeRetry: true }); it('holds sometimes', () => { runs += 1; if (runs === 1) throw new Error('not this time'); });");
    for (const hasSecondTry of [true, false]) expect(await run(hasSecondTry)).toMatchObject({ passed: 2, failures: [], unsteady: [{ file: 'chance.test.js', test: 'holds sometimes', said: ['Error: not this time'] }] });
  });

  it('fails by it where it has no second try', async () => {
    plantUnsteady();
    expect(await run(false)).toMatchObject({ passed: 1, unsteady: [], failures: [{ file: 'chance.test.js', what: 'holds sometimes' }] });
  });

  it('fails by what fails twice, by a skip without a reason, and by a file that cannot run', async () => {
    write('wrong.test.js', "it('is wrong', () => { throw new Error('wrong'); }); it.skip('is left out', () => {});");
    write('broken.test.js', "require('./nowhere');");
    const { passed, failures } = await run(true);
    expect(passed).toBe(1);
    expect(failures.map(({ file, what }) => `${file}: ${what}`).sort()).toEqual(['broken.test.js: the file could not run', 'wrong.test.js: is left out', 'wrong.test.js: is wrong']);
  });

  it('is stopped when the time of the whole run is up', async () => {
    write('endless.test.js', "it('never ends', () => new Promise((resolve) => setTimeout(resolve, 600_000)), 700_000);");
    expect(await run(true, 3_000)).toMatchObject({ passed: 0, failures: [{ what: expect.stringContaining('was stopped') as string }] });
  });
});

describe('what a run notes of its skips', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'twinyard-noted-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is read line by line', () => {
    const file = join(folder, 'skips');
    writeFileSync(file, '{"test":"on minio a","reason":"go not found"}\n{"test":"on mongo b","reason":"","cannot":"on mongo b"}\n');
    expect(readNotes(file)).toEqual([{ test: 'on minio a', reason: 'go not found' }, { test: 'on mongo b', reason: '', cannot: 'on mongo b' }]);
  });

  it('is nothing when nothing was skipped', () => {
    expect(readNotes(join(folder, 'none'))).toEqual([]);
  });
});
