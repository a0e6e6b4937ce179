import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SERVICES } from '@twinyard/conventions';
import { repositoryRoot } from '../checks/repository/repository';
import { commandsOf } from './commands';

const root = repositoryRoot();

it('every service that has background jobs has the command for them, and no other', () => {
  const withJobs = SERVICES.filter((service) => readFileSync(join(root, 'apps', service, 'src', 'app.module.ts'), 'utf8').includes('JobsModule.forRoot('));
  expect(withJobs.length).toBeGreaterThan(0);
  expect(SERVICES.filter((service) => 'jobs' in commandsOf(service))).toEqual(withJobs);
});

it('every command is a file of the repository', () => {
  const sources = SERVICES.flatMap((service) => Object.values(commandsOf(service))).map((file) => file.replace(/\.js$/, '.ts'));
  expect(sources.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});
