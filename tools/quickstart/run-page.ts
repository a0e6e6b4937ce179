import { execFile } from 'node:child_process';
import type { Block } from './page';

/** Before what each block says (ASCII: record separator). */
const MARK = '\x1e';

/** Of a whole page: what it waits for may never come. */
const LONGEST_MS = 120_000;
const MOST_BYTES = 64 * 1_048_576;

/** Types all blocks into one shell, and resolves with what each has said. Rejects with what the shell said of the one that failed. */
export function runBlocks(blocks: readonly Block[], folder: string, environment: NodeJS.ProcessEnv = {}): Promise<string[]> {
  const options = { cwd: folder, env: { ...process.env, ...environment }, timeout: LONGEST_MS, maxBuffer: MOST_BYTES };
  return new Promise((resolve, reject) => {
    const shell = execFile('bash', ['-euo', 'pipefail', '-s'], options, (error, stdout, stderr) => {
      const [, ...said] = stdout.split(MARK);
      if (error === null) return resolve(said);
      const last = blocks[said.length - 1]?.commands ?? '';
      reject(new Error(`block ${said.length} of ${blocks.length} ended with ${error.code ?? error.signal}:\n${last}\n${said.at(-1) ?? ''}${stderr}`));
    });
    // It may end before it has read everything.
    shell.stdin?.on('error', () => undefined).end(blocks.map(({ commands }) => `printf '\\036'\n${commands}`).join('\n'));
  });
}
