import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const GUIDES = ['scripts.md', 'scripts-tables.md'].map((name) => join(__dirname, '../../../docs', name));

/** The examples of docs/scripts.md and docs/scripts-tables.md: each block of JavaScript begins with the name of its file. */
export function guideExamples(): ReadonlyMap<string, string> {
  const text = GUIDES.map((guide) => readFileSync(guide, 'utf8')).join('\n');
  const blocks = [...text.matchAll(/^```js\n([^]*?)^```$/gm)].map(([, block = '']) => block);
  return new Map(blocks.map((block) => {
    const name = /^\/\/ ([\w-]+)\.mjs\n/.exec(block)?.[1];
    if (name === undefined) throw new Error(`An example without a name: ${block.slice(0, 100)}`);
    return [name, block];
  }));
}
