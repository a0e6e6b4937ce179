import { type PlantedFile, PLANTED } from './planted';
import { unreported } from './reported';

const file = (path: string, rule: string): PlantedFile => ({ path, rule, text: '' });
const output = ['> nx run aisvc:lint', '', '/repo/apps/aisvc/src/a.ts', '  1:1  error  Long words', '', '- over/lines.ts', ']  @nx/enforce-module-boundaries', '', '/repo/apps/aisvc/src/b.ts', '  1:1  error  No  max-lines', '', '✖ 2 problems'].join('\n');

describe('the canary of the lint', () => {
  it('is silent when each rule is named below its file', () => {
    expect(unreported(output, [file('apps/aisvc/src/a.ts', '@nx/enforce-module-boundaries'), file('apps/aisvc/src/b.ts', 'max-lines')])).toEqual([]);
  });

  it('names a file that another rule or another file was reported for', () => {
    const quiet = [file('apps/aisvc/src/a.ts', 'max-lines'), file('apps/aisvc/src/c.ts', 'max-lines')];
    expect(unreported(output, quiet)).toEqual(quiet);
  });

  it('is silent about colours', () => {
    expect(unreported(output.replace('No', '\u001b[2mNo\u001b[22m'), [file('apps/aisvc/src/b.ts', 'max-lines')])).toEqual([]);
  });

  it('plants each file once', () => {
    expect(new Set(PLANTED.map(({ path }) => path)).size).toBe(PLANTED.length);
  });
});
