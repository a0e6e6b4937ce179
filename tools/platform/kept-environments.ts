import { join } from 'node:path';
import { SERVICES } from '@twinyard/conventions';
import { writeOwnerFile } from '../tour/owner-file';
import type { ProcessSpec } from './supervised-process';

/** What the runner gave to each service, for an operator's commands (`npm run operate`). */
export type KeptEnvironments = Readonly<Record<string, Readonly<Record<string, string>>>>;

export const environmentsFile = (dataDir: string) => join(dataDir, 'secrets', 'environments.json');

/** Addresses of engines: what a command cannot do without. Other settings that the runner was given, a command is given as well. */
const OF_ENGINES = /^(KAFKA|MONGO|S3)_/;

/** Keeps, for the owner of DATA_DIR alone, what the runner decided and where the engines are. */
export function keepEnvironments(dataDir: string, specs: readonly ProcessSpec[], inherited: NodeJS.ProcessEnv): void {
  const environments = SERVICES.flatMap((service) => {
    // Replicas of a service differ in their port, which a command does not take.
    const spec = specs.find(({ name }) => name === service || name === `${service}-1`);
    if (spec === undefined) return [];
    return [[service, Object.fromEntries(Object.entries(spec.env).filter(([name, value]) => name !== 'PORT' && (value !== inherited[name] || OF_ENGINES.test(name))))]];
  });
  writeOwnerFile(environmentsFile(dataDir), JSON.stringify(Object.fromEntries(environments)));
}
