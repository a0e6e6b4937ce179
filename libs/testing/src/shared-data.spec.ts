import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAtHand } from './shared-data';

describe('what lies beside the repository', () => {
  const folder = mkdtempSync(join(tmpdir(), 'twinyard-shared-'));
  const root = join(folder, 'main');
  mkdirSync(join(root, 'tools/checks'), { recursive: true });
  mkdirSync(join(folder, 'shared'));
  writeFileSync(join(root, 'tools/checks/known-data.json'), JSON.stringify({ '../shared/model.ifc': 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad' }));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('is at hand when it is there and, where tests count on what it holds, has not changed', () => {
    expect(isAtHand('../shared/model.ifc', root)).toBe(false);
    // The first test vector of FIPS 180-4.
    writeFileSync(join(folder, 'shared/model.ifc'), 'abc');
    expect(isAtHand('../shared/model.ifc', root)).toBe(true);
    writeFileSync(join(folder, 'shared/model.ifc'), 'abcd');
    expect(isAtHand('../shared/model.ifc', root)).toBe(false);
    expect(isAtHand('../shared', root)).toBe(true);
  });
});
