import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { saidBy } from './test-runs';

describe('what a run on the engines says of its skips', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'twinyard-said-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is taken as allowed where it has a reason', () => {
    const file = join(folder, 'skips');
    writeFileSync(file, '{"test":"on minio a","reason":"go not found"}\n{"test":"on mongo b","reason":"","cannot":"on mongo b"}\n');
    expect(saidBy(file)).toEqual([{ name: 'on minio a', reason: 'go not found' }]);
  });

  it('is nothing when nothing was skipped', () => {
    expect(saidBy(join(folder, 'none'))).toEqual([]);
  });
});
