import { spawnSync } from 'node:child_process';
import type { Block } from './page';

/** Before what each block says (ASCII: record separator). */
const MARK = '\x1e';

/** Types all blocks into one shell, and resolves with what each has said. Throws with what the shell said of the one that failed. */
export function runBlocks(blocks: readonly Block[], folder: string): string[] {
  const script = blocks.map(({ commands }) => `printf '\\036'\n${commands}`).join('\n');
  const { status, stdout, stderr } = spawnSync('bash', ['-euo', 'pipefail', '-s'], { cwd: folder, input: script, encoding: 'utf8', maxBuffer: 64 * 1_048_576 });
  const [, ...said] = stdout.split(MARK);
  if (status !== 0) throw new Error(`block ${said.length} of ${blocks.length} ended with ${status}:\n${blocks[said.length - 1]?.commands ?? ''}\n${said.at(-1) ?? ''}${stderr}`);
  return said;
}
