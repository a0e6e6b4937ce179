import { homedir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '../checks/repository/repository';

/** Where engines and tools are installed, once for all clones of a machine; deploy/engines has the same. */
export const cacheFolder = (env: NodeJS.ProcessEnv = process.env): string =>
  env.ENGINES_CACHE || join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'twinyard-engines');

export const repositoryFolder = repositoryRoot();
export const requirementsFile = join(repositoryFolder, 'tools', 'judges', 'requirements.txt');

/** For processes that are started here. */
export const environment = process.env;
