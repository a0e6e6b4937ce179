import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SkipJudge } from './jest-report';

/** A line of allowed-skips.txt: `<name> when missing: <what>, …`; a name is a test's full name, or its beginning and `*`. */
export interface AllowedSkip {
  readonly name: string;
  /** The test may be skipped where one of these is not at hand (`at-hand.ts`). */
  readonly whenMissing: readonly string[];
}

/** What a run has noted of a test that it skipped (libs/testing, `noteSkip`). */
export interface NotedSkip {
  readonly test: string;
  readonly reason: string;
  /** The line of deploy/engines/cannot.txt that says so. */
  readonly cannot?: string;
}

export function parseAllowedSkips(text: string): AllowedSkip[] {
  const lines = text.split('\n').map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => {
    const [name = '', missing] = line.split(' when missing: ');
    if (missing === undefined) throw new Error(`allowed-skips.txt: not \`<name> when missing: <what>, …\`: ${line}`);
    return { name, whenMissing: missing.split(', ') };
  });
}

export const allowedSkips = (root: string) => parseAllowedSkips(readFileSync(join(root, 'tools', 'checks', 'allowed-skips.txt'), 'utf8'));

/** A test may be skipped when an engine cannot do what it asks for, or when something that it needs is not on this machine. */
export function skipJudge(allowed: readonly AllowedSkip[], noted: readonly NotedSkip[], isAtHand: (what: string) => boolean): SkipJudge {
  const notes = new Map(noted.map((note) => [note.test, note]));
  return (test) => {
    const note = notes.get(test);
    if (note?.cannot !== undefined && note.reason !== '') return note.reason;
    const missing = allowed.filter((skip) => covers(skip, test)).flatMap(({ whenMissing }) => whenMissing).find((what) => !isAtHand(what));
    return missing === undefined ? undefined : `there is no ${missing}`;
  };
}

const covers = ({ name }: AllowedSkip, test: string) => (name.endsWith('*') ? test.startsWith(name.slice(0, -1)) : test === name);
