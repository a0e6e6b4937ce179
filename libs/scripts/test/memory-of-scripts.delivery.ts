import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { HOSTILE_SCRIPTS } from './hostile-scripts';
import type { MemorySeen } from './memory-of-scripts';

const MB = 1024 * 1024;
const PROGRAM = resolve(__dirname, '../../../dist/libs/scripts/test/memory-of-scripts.js');
/** What an engine starts with, beside the limit of its script. */
const ENGINE_BYTES = 16 * MB;
/** The process itself: texts on their way, what its collector has not yet looked at. */
const MARGIN_BYTES = 96 * MB;
const onLinux = existsSync('/proc/self/status') ? describe : describe.skip;

onLinux.each([2, 4])('hostile scripts, %i at once (where there is /proc)', (threads) => {
  let seen: MemorySeen;
  beforeAll(() => {
    seen = JSON.parse(execFileSync(process.execPath, [PROGRAM, String(threads)], { encoding: 'utf8' })) as MemorySeen;
  }, 300_000);

  it('never take more memory together than the limit of each', () => {
    expect(seen.peakBytes).toBeLessThan(seen.baseBytes + threads * (seen.limitBytes * 1.05 + ENGINE_BYTES) + MARGIN_BYTES);
  });

  it('leave none of it behind', () => {
    expect(seen.afterBytes).toBeLessThan(seen.baseBytes + MARGIN_BYTES);
  });

  it('are each stopped, and told by which limit', () => {
    for (const { name, limit } of HOSTILE_SCRIPTS) {
      const expected = limit ?? (expect.stringMatching(/^(memory|time)$/) as string);
      expect({ name, ...seen.outcomes[name] }).toMatchObject({ name, kind: 'stopped', limit: expected });
    }
  });
});
