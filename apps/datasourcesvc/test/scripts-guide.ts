import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const GUIDE = join(__dirname, '../../../docs/scripts.md');

/** The examples of docs/scripts.md: each block of JavaScript begins with the name of its file. */
export function guideExamples(): ReadonlyMap<string, string> {
  const blocks = [...readFileSync(GUIDE, 'utf8').matchAll(/^```js\n([^]*?)^```$/gm)].map(([, block = '']) => block);
  return new Map(blocks.map((block) => {
    const name = /^\/\/ ([\w-]+)\.mjs\n/.exec(block)?.[1];
    if (name === undefined) throw new Error(`An example without a name: ${block.slice(0, 100)}`);
    return [name, block];
  }));
}
