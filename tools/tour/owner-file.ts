import { renameSync, writeFileSync } from 'node:fs';

/** For its owner alone, and whole or not there. */
export function writeOwnerFile(file: string, text: string): void {
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, text, { mode: 0o600, flush: true });
  renameSync(unfinished, file);
}
