import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EngineHome, EngineName } from './engines/engine';

/** What is kept of an engine in its folder, so that another process can find, stop and restart it. */
export interface EngineState {
  readonly port: number;
  readonly secret: string;
  /** The process that runs it (process-identity.ts); none before the first start. */
  readonly identity?: string;
}

const fileOf = (folder: string) => join(folder, 'engine.json');

/** The folder of one engine below the folder of all. */
export const engineFolder = (folder: string, name: EngineName) => join(folder, name);

export function readState(folder: string): EngineState | undefined {
  const file = fileOf(folder);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as EngineState) : undefined;
}

export function writeState(folder: string, state: EngineState): void {
  mkdirSync(folder, { recursive: true });
  const part = `${fileOf(folder)}.${process.pid}.part`;
  writeFileSync(part, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
  renameSync(part, fileOf(folder));
}

export const newSecret = () => randomBytes(16).toString('hex');

export const homeOf = (folder: string, { port, secret }: EngineState): EngineHome => ({ folder, port, secret });
