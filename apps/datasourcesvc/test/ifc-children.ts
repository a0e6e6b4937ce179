import { readdirSync, readFileSync } from 'node:fs';

const TASKS = `/proc/${process.pid}/task`;
export const HAS_PROC = readdirSync('/').includes('proc') && process.platform === 'linux';

/** The processes that read models for this one; none where that cannot be told. */
export function ifcChildren(): number[] {
  if (!HAS_PROC) return [];
  const children = readdirSync(TASKS).flatMap((task) => textOf(`${TASKS}/${task}/children`).split(' ').filter(Boolean).map(Number));
  return children.filter(isReading);
}

export const isReading = (pid: number): boolean => textOf(`/proc/${pid}/cmdline`).includes('ifc-child.js');

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
