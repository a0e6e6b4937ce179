import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { EngineName } from './engines';

/** A line of deploy/engines/cannot.txt. */
export interface Cannot {
  readonly engine: EngineName;
  /** A test's full name, or its beginning and `*`. */
  readonly name: string;
  readonly reason: string;
}

const FILE = resolve(__dirname, '..', '..', '..', 'deploy', 'engines', 'cannot.txt');

export const readCannot = (): Cannot[] => parseCannot(readFileSync(FILE, 'utf8'));

export function parseCannot(text: string): Cannot[] {
  const lines = text.split('\n').map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => {
    const [engine = '', name = '', reason = ''] = line.split(' | ');
    if (reason === '') throw new Error(`cannot.txt: not \`<engine> | <test> | <why>\`: ${line}`);
    return { engine: engine as EngineName, name, reason };
  });
}

export const covers = ({ name }: Cannot, test: string) => (name.endsWith('*') ? test.startsWith(name.slice(0, -1)) : test === name);
