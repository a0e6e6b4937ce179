import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { S3Options } from '../src';

const PROGRAM = resolve(__dirname, '..', '..', '..', 'dist', 'libs', 'blobs', 'test', 's3-program.js');

/** `s3-program`, compiled: from its first line on it has done what it was started for. */
export async function startS3Process(options: S3Options, task: string, environment: NodeJS.ProcessEnv = {}): Promise<{ readonly said: unknown; readonly child: ChildProcess }> {
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(options), task], { env: { ...process.env, ...environment }, stdio: ['ignore', 'pipe', 'inherit'] });
  const { value, done } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  if (done) throw new Error(`${join(PROGRAM)} has said nothing: is dist/ built (node tools/build.mjs)?`);
  return { said: JSON.parse(value as string), child };
}

export async function killProcess(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
