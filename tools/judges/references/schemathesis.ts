import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFolder } from '../config';
import type { Document } from './judged-document';

export interface Judged {
  /** Requests that were made. */
  readonly cases: number;
  /** `title: METHOD /path, …` of each kind of finding. */
  readonly findings: readonly string[];
  /** All that it said: the request and the answer of each finding. */
  readonly said: string;
}

export interface Asked {
  readonly program: string;
  readonly document: Document;
  readonly baseUrl: string;
  readonly token: string;
  /** Of its own. */
  readonly folder: string;
  readonly phase: 'examples' | 'coverage';
  /** Operations that would end the session of whoever asks. */
  readonly without: readonly string[];
}

interface Report {
  readonly test_cases: { readonly generated: number };
  readonly failures: readonly { readonly title: string; readonly operations: readonly unknown[] }[];
  readonly errors: readonly unknown[];
}

/** Has schemathesis hold a platform to its references: each example, or the edges of what every operation takes. The same requests each time. */
export async function schemathesis(asked: Asked): Promise<Judged> {
  const [document, config, report] = ['openapi.json', 'schemathesis.toml', 'report.json'].map((name) => join(asked.folder, name)) as [string, string, string];
  writeFileSync(document, JSON.stringify(asked.document));
  writeFileSync(config, configFor(asked));
  const child = spawn(asked.program, [
    '--no-color', '--config-file', config, 'run', document, '--phases', asked.phase, '--workers', '1', '--report', 'json', '--report-json-path', report,
    ...asked.without.flatMap((id) => ['--exclude-operation-id', id]),
  ], { cwd: asked.folder, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => { said += chunk.toString(); });
  await once(child, 'close');
  const { test_cases: { generated }, failures, errors } = JSON.parse(readFileSync(report, 'utf8')) as Report;
  const findings = failures.map(({ title, operations }) => `${title}: ${operations.map((each) => (typeof each === 'string' ? each : JSON.stringify(each))).join(', ')}`);
  return { cases: generated, findings: [...findings, ...errors.map((error) => `error: ${JSON.stringify(error)}`)], said };
}

/**
 * Values that it has read from answers stay out: an item of one class is none of another. That valid requests are taken is asked by a check of ours
 * (checks.py), which knows what a schema cannot tell.
 */
const configFor = ({ baseUrl, token, phase }: Asked) => `
base-url = ${JSON.stringify(baseUrl)}
headers = { Authorization = ${JSON.stringify(`Bearer ${token}`)} }
hooks = ${JSON.stringify(join(repositoryFolder, 'tools', 'judges', 'references', 'checks.py'))}
seed = 1
continue-on-failure = true
request-timeout = 60
[generation]
deterministic = true
[checks]
positive_data_acceptance.enabled = false
[phases.${phase}]
extra-data-sources.responses = false
`;
