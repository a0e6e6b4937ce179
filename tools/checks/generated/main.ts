/** `npm run generate` rewrites every generated file; with `--check` it changes nothing and fails when one is stale. */
import { repositoryRoot } from '../repository/repository';
import { GENERATORS, regenerate, staleAfter } from './generators';

const root = repositoryRoot();
const isCheck = process.argv.includes('--check');
const faults = GENERATORS.flatMap((generator) => (isCheck ? staleAfter(generator, root) : regenerate(generator, root)));
for (const fault of faults) process.stdout.write(`${fault}\n`);
process.exitCode = faults.length === 0 ? 0 : 1;
