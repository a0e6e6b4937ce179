import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** The environment variable that names the file in which the workers of a run say what was skipped, and why. */
export const ENGINE_SKIPS = 'TWINYARD_ENGINE_SKIPS';

export interface EngineSkip {
  /** The test's full name. */
  readonly test: string;
  readonly reason: string;
  /** The name in the line of cannot.txt, when that is the reason. */
  readonly cannot?: string;
}

/** One line each; a short line that is appended at once arrives whole. */
export function noteSkip(skip: EngineSkip, file = process.env[ENGINE_SKIPS]): void {
  if (file) appendFileSync(file, `${JSON.stringify(skip)}\n`);
}

export function readSkips(file: string): EngineSkip[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8').split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as EngineSkip);
}
