import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVICES } from '@twinyard/conventions';
import { mergedReference } from '../../platform/gateway/front/reference/merged-reference';
import { longFiles } from '../repository/long-files';
import { lockedHosts, strayTraces } from '../repository/stray-traces';
import { runToEnd } from './child';
import { firstLines } from './jest-report';
import type { Terms } from './run-suite';

/** One thing that has to hold besides the tests. */
export interface Check {
  readonly name: string;
  readonly run: (terms: Terms) => Promise<Verdict>;
  /** What it prints is to be read also when all is well, such as what it could not check. */
  readonly speaks?: true;
}

export interface Verdict {
  /** What is wrong, in lines to read; nothing when it holds. */
  readonly faults: readonly string[];
  /** What it printed when all was well. */
  readonly said: readonly string[];
}

/** On the sources alone. */
export const CORE_CHECKS: readonly Check[] = [
  { name: 'lint, through Nx', run: nodeModule('nx/dist/bin/nx.js', 'run-many', '-t', 'lint', '--parallel=2', '--output-style=static') },
  { name: 'lint reports planted violations', run: compiled('tools/checks/lint-canary/main.js') },
  { name: 'types', run: nodeModule('typescript/bin/tsc', '-p', 'tsconfig.json') },
  { name: 'generated files are not stale', run: compiled('tools/checks/generated/main.js', '--check') },
  { name: 'references keep to the rules of redocly', run: lintReferences },
  { name: 'no file over 300 lines', run: rule(longFiles) },
  { name: 'no path of a machine, no registry host', run: rule(strayTraces) },
  { name: 'the lock file names no host', run: rule(lockedHosts) },
];

/** With programs that have to be installed. */
export const LONG_CHECKS: readonly Check[] = [
  { name: 'manifests of Kubernetes: kustomize build, kubeconform -strict', run: compiled('tools/deployment/check-manifests.js'), speaks: true },
];

/** The reference of each service, and the one of all that the front of the platform gives away. */
export async function lintReferences(terms: Terms, merged: () => string = mergedReference): Promise<Verdict> {
  const folder = mkdtempSync(join(tmpdir(), 'twinyard-reference-'));
  const file = join(folder, 'openapi.json');
  writeFileSync(file, merged());
  const references = [...SERVICES.map((service) => `apps/${service}/openapi.json`), file];
  return nodeModule('@redocly/cli/bin/cli.js', 'lint', '--config=redocly.yaml', ...references)(terms).finally(() => rmSync(folder, { recursive: true }));
}

function rule(faultsIn: (root: string) => readonly string[]): Check['run'] {
  return async ({ root }) => ({ faults: faultsIn(root), said: [] });
}

function nodeModule(file: string, ...args: string[]): Check['run'] {
  return (terms) => program(terms, join('node_modules', file), args);
}

function compiled(file: string, ...args: string[]): Check['run'] {
  return (terms) => program(terms, join('dist', file), args);
}

const LAST_LINES = 80;

async function program({ root, deadline }: Terms, file: string, args: readonly string[]): Promise<Verdict> {
  const { status, output } = await runToEnd(process.execPath, [join(root, file), ...args], { cwd: root, output: 'keep', deadline });
  const lines = firstLines(output, Number.POSITIVE_INFINITY).slice(-LAST_LINES);
  if (status === 0) return { faults: [], said: lines };
  return { faults: lines.length === 0 ? [`it ended with ${status ?? 'the time of the whole run'}, without a word`] : lines, said: [] };
}
