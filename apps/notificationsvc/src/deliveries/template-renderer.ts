import { execFile, type ExecFileException } from 'node:child_process';
import type { FieldIssue } from '@twinyard/conventions';
import { parse } from 'velocityjs';

const TIMEOUT_MS = 3_000;
const MAX_BYTES = 2_000_000;

/**
 * Runs in a process of its own, with bounds on memory and time and nothing of ours in its environment: a template is a
 * program of its author, and `#foreach` over a long range must not hold the service. A thread would not do: one that fills
 * its heap at once takes the whole process with it. velocityjs keeps templates from prototypes and constructors.
 */
const PROGRAM = `
  const { readFileSync, writeSync } = require('node:fs');
  const { velocity, templates, variables } = JSON.parse(readFileSync(0, 'utf8'));
  const { render } = require(velocity);
  const rendered = templates.map(({ text, escape }) => render(text, structuredClone(variables), {}, { escape }));
  const answer = Buffer.from(JSON.stringify(rendered));
  for (let sent = 0; sent < answer.length; ) sent += writeSync(1, answer, sent);
`;

export interface TemplateText {
  readonly text: string;
  /** Whether values are escaped for HTML. */
  readonly escape: boolean;
}

export const isHtml = (text: string) => /<\/?[a-z][^>]*>/i.test(text);

/** Renders Velocity templates with the same variables. @throws Error when one fails, takes too long or grows too large. */
export function renderTemplates(templates: readonly TemplateText[], variables: Readonly<Record<string, unknown>>): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      process.execPath,
      ['--max-old-space-size=64', '-e', PROGRAM],
      { env: {}, timeout: TIMEOUT_MS, killSignal: 'SIGKILL', maxBuffer: MAX_BYTES },
      (error, output) => (error === null ? resolve(JSON.parse(output) as string[]) : reject(new Error(reasonOf(error)))),
    );
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(JSON.stringify({ velocity: require.resolve('velocityjs'), templates, variables }));
  });
}

function reasonOf(error: ExecFileException): string {
  if (error.killed === true && error.code !== 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return `the template took longer than ${TIMEOUT_MS / 1000} s`;
  return error.signal === 'SIGABRT' || String(error.code).includes('MAXBUFFER') ? 'the template grew too large' : 'the template could not be rendered';
}

/** Faults of a template's syntax. */
export function templateIssues(field: string, template: string): FieldIssue[] {
  try {
    parse(template);
    return [];
  } catch (error) {
    return [{ field, issue: `is no Velocity template: ${String((error as Error).message).split('\n')[0] ?? ''}` }];
  }
}
