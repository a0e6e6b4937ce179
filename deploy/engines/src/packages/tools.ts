import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Tool } from './package';

/** Those that a machine need not have to work on this repository. */
export const TOOLS: readonly Tool[] = ['java', 'javac', 'mvn', 'go'];

/** Those of the tools that no folder of PATH has. */
export function missingTools(tools: readonly Tool[], path = process.env.PATH ?? ''): Tool[] {
  return tools.filter((tool) => !path.split(delimiter).some((folder) => isProgram(join(folder, tool))));
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export class ToolFailed extends Error {
  constructor(readonly program: string, message: string) {
    super(message);
  }
}

/** A download that hangs must not hang a run for ever. The longest, MinIO, takes four minutes of processor time to compile. */
const WITHIN_MS = 15 * 60_000;
const LAST_LINES = 12;

export function runTool(program: string, args: readonly string[], { cwd, env }: { cwd?: string; env?: Readonly<Record<string, string>> } = {}): void {
  const { status, signal, error, stdout, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: WITHIN_MS,
    killSignal: 'SIGKILL',
    maxBuffer: 2 ** 28,
    env: { ...process.env, ...env },
    ...(cwd !== undefined && { cwd }),
  });
  if (status === 0) return;
  const said = `${stdout ?? ''}\n${stderr ?? ''}`.split('\n').filter((line) => line.trim() !== '').slice(-LAST_LINES);
  throw new ToolFailed(program, [`${program} ended with ${error?.message ?? signal ?? status}`, ...said].join('\n'));
}
