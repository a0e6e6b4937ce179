import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

export interface RunOptions {
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  /** `show`: what it prints goes to the log; `keep`: it comes back. */
  readonly output: 'show' | 'keep';
  /** In ms since 1970; it is killed then, with all that it has started. */
  readonly deadline: number;
}

export interface Ended {
  /** `undefined` when it was killed. */
  readonly status: number | undefined;
  readonly output: string;
}

/** Runs a program to its end, in a process group of its own. */
export async function runToEnd(command: string, args: readonly string[], { cwd, env = process.env, output, deadline }: RunOptions): Promise<Ended> {
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', ...(output === 'show' ? (['inherit', 'inherit'] as const) : (['pipe', 'pipe'] as const))] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text: string) => (said += text));
  const timer = setTimeout(() => killGroup(child), Math.max(deadline - Date.now(), 0));
  const [code] = (await once(child, 'close').finally(() => clearTimeout(timer))) as [number | null];
  return { status: code ?? undefined, output: said };
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
