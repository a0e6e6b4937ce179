import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { renderTemplates } from './template-renderer';

const HURRIED_MS = 1_000;
const text = (template: string) => [{ text: template, escape: false }];

describe('a template', () => {
  afterEach(() => jest.restoreAllMocks());

  it('is not blamed for the time that its process takes to start', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'twinyard-template-'));
    const busy = join(folder, 'node');
    writeFileSync(busy, `#!/bin/sh\n/bin/sleep 1.3\nexec '${process.execPath}' "$@"\n`);
    chmodSync(busy, 0o755);
    jest.replaceProperty(process, 'execPath', busy);
    try {
      expect(await renderTemplates(text('$a and $b'), { a: 'one', b: 'two' }, HURRIED_MS)).toEqual(['one and two']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('is text for the process that renders it, never an argument or a command', async () => {
    const words = '--version; `id` && id > id | id';
    expect(await renderTemplates([...text(words), ...text('$words')], { words })).toEqual([words, words]);
  });

  it.each([
    ['takes too long', '#foreach($i in [1..60000])#foreach($j in [1..60000])#end#end', 'the template took longer than 1 s', HURRIED_MS],
    ['writes too much', '#foreach($i in [1..2200])$thousand#end', 'the template grew too large', 60_000],
  ])('that %s is ended, and told so', async (_, template, message, renderingMs) => {
    await expect(renderTemplates(text(template), { thousand: 'x'.repeat(1_000) }, renderingMs)).rejects.toThrow(message);
  });
});
