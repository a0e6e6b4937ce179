import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where engines and tools are installed, once for all clones on a machine. */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  return env.ENGINES_CACHE || join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'twinyard-engines');
}

/** The folder `deploy/engines` of this clone: this file runs from dist/deploy/engines/src. */
export const enginesFolder = join(__dirname, '..', '..', '..', '..', 'deploy', 'engines');
