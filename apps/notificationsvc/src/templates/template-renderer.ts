import { type ChildProcess, execFile, type ExecFileException } from 'node:child_process';
import type { FieldIssue } from '@twinyard/conventions';
import { parse } from 'velocityjs';
import { Turns } from './turns';

/** Of rendering alone. Counted in parts: a machine that stops for seconds in between has used up one of them. */
const RENDERING_MS = 3_000;
const PARTS = 10;
/** How long a process takes to start on a busy machine is not the template's fault. */
const START_MS = 30_000;
const MAX_BYTES = 2_000_000;
/** Each is a process. */
const RENDERED_AT_ONCE = { all: 4, perKey: 2 };

const turns = new Turns(RENDERED_AT_ONCE);

/**
 * Runs in a process of its own, with bounds on memory and time and nothing of ours in its environment: a template is a
 * program of its author, and `#foreach` over a long range must not hold the service. A thread would not do: one that fills
 * its heap at once takes the whole process with it. velocityjs keeps templates from prototypes and constructors.
 */
const PROGRAM = `
  const { readFileSync, writeSync } = require('node:fs');
  const { velocity, templates, variables } = JSON.parse(readFileSync(0, 'utf8'));
  const { render } = require(velocity);
  writeSync(2, 'begun');
  const rendered = templates.map(({ text, escape }) => render(text, structuredClone(variables), {}, { escape }));
  const answer = Buffer.from(JSON.stringify(rendered));
  for (let sent = 0; sent < answer.length; ) sent += writeSync(1, answer, sent);
`;

export interface TemplateText {
  readonly text: string;
  /** Whether values are escaped for HTML. */
  readonly escape: boolean;
}

/** `renderTemplates` when there is a place for one more of the namespace. */
export const renderInTurn = (namespace: string, templates: readonly TemplateText[], variables: Readonly<Record<string, unknown>>): Promise<string[]> =>
  turns.take(namespace, () => renderTemplates(templates, variables));

/** Renders Velocity templates with the same variables. @throws Error when one fails, takes too long or grows too large. */
export function renderTemplates(templates: readonly TemplateText[], variables: Readonly<Record<string, unknown>>, renderingMs = RENDERING_MS): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      process.execPath, ['--max-old-space-size=64', '-e', PROGRAM], { env: {}, killSignal: 'SIGKILL', maxBuffer: MAX_BYTES },
      (error, output) => {
        clock.stop();
        if (error === null) resolve(JSON.parse(output) as string[]);
        else reject(new Error(clock.verdict ?? reasonOf(error)));
      },
    );
    const clock = new Clock(child, renderingMs);
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(JSON.stringify({ velocity: require.resolve('velocityjs'), templates, variables }));
  });
}

/** Ends a process that does not begin, or that does not end once it has begun. */
class Clock {
  verdict: string | undefined;
  private timer = setTimeout(() => this.end('the template could not be rendered'), START_MS);

  constructor(private readonly child: ChildProcess, renderingMs: number) {
    child.stderr?.once('data', () => {
      this.stop();
      let parts = 0;
      this.timer = setInterval(() => {
        parts += 1;
        if (parts === PARTS) this.end(`the template took longer than ${renderingMs / 1_000} s`);
      }, renderingMs / PARTS);
    });
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  private end(verdict: string): void {
    this.stop();
    this.verdict = verdict;
    this.child.kill('SIGKILL');
  }
}

function reasonOf(error: ExecFileException): string {
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
