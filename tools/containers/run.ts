import { spawn } from 'node:child_process';

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
}

/** A download that hangs must not hang a run for ever. */
const WITHIN_MS = 15 * 60_000;
const LAST_LINES = 20;

/** Runs a program to its end; resolves with what it wrote to its standard output, and rejects with its last lines. */
export function run(program: string, args: readonly string[], { env }: RunOptions = {}): Promise<string> {
  const child = spawn(program, args, {
    env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'], timeout: WITHIN_MS, killSignal: 'SIGKILL',
  });
  const said = { output: '', errors: '' };
  child.stdout.on('data', (bytes: Buffer) => (said.output += bytes.toString()));
  child.stderr.on('data', (bytes: Buffer) => (said.errors += bytes.toString()));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status, signal) => (status === 0 ? resolve(said.output) : reject(new Error(lastLines(`${program} ended with ${signal ?? status}`, said)))));
  });
}

function lastLines(fault: string, { output, errors }: { readonly output: string; readonly errors: string }): string {
  const lines = `${output}\n${errors}`.split('\n').filter((line) => line.trim() !== '');
  return [fault, ...lines.slice(-LAST_LINES)].join('\n');
}
