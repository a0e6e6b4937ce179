import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const PROGRAM = `require('./dist/bench/models/disk-bench.js').benchDisk(require('node:fs').readFileSync('tools/sample/sample-building.ifc')).then((rows) => console.log(JSON.stringify(rows)))`;

describe('the benchmark of reading a model', () => {
  it('reads a model through the compiled service, which no compiler checks', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', PROGRAM], { cwd: join(__dirname, '..', '..') });
    const rows = JSON.parse(stdout) as { readonly what: string; readonly measured: string }[];
    expect(rows.map(({ what, measured }) => [what.replace(/ a model.*/, ''), measured])).toEqual([
      ['read', expect.stringMatching(/^\d+\.\d s$/)], ['peak of the process that reads', expect.stringMatching(/^[1-9]\d* MB$/)],
    ]);
  });
});
