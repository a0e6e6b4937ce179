import { invalid } from '@twinyard/conventions';
import { formatHeader } from '@twinyard/csv';
import { MAX_COLUMNS } from '@twinyard/xlsx';

/** A column of a file that becomes something. */
export interface NamedColumn {
  /** Of the header, from 0. */
  readonly index: number;
  /** As the header has it. */
  readonly name: string;
  /** Where its value goes. */
  readonly path: readonly string[];
}

/** That a message names. */
const MAX_NAMED = 50;

export function columnNamed(names: readonly string[], name: string): number {
  const index = names.indexOf(name);
  if (index < 0) throw invalid(`The file has no column ${JSON.stringify(name)}; it has ${names.slice(0, MAX_NAMED).join(', ')}${names.length > MAX_NAMED ? `, and ${names.length - MAX_NAMED} more` : ''}`);
  return index;
}

/** What a header may not be, whatever becomes of its columns. */
export function refuseRepeated(names: readonly string[]): void {
  if (names.length > MAX_COLUMNS) throw invalid(`The file has ${names.length} columns, and ${MAX_COLUMNS} are read at most`);
  const places = new Map<string, number>();
  for (const [index, name] of names.entries()) {
    const first = places.get(name) ?? index;
    places.set(name, first);
    if (name !== '' && first < index) throw invalid(`The file has two columns named ${JSON.stringify(name)}: the ${first + 1}. and the ${index + 1}.`);
  }
}

/** Two columns for one thing (`what`), or one inside the value of another. */
export function refuseClashes(columns: readonly NamedColumn[], what: string): void {
  const leaves = new Map<string, string>();
  for (const { name, path } of columns) {
    const other = leaves.get(formatHeader(path));
    if (other !== undefined) throw invalid(`The columns ${JSON.stringify(other)} and ${JSON.stringify(name)} become one ${what}, ${formatHeader(path)}; give one of them another name with "columns"`);
    leaves.set(formatHeader(path), name);
  }
  for (const { name, path } of columns) {
    const outer = path.slice(0, -1).map((_, length) => formatHeader(path.slice(0, length + 1))).find((prefix) => leaves.has(prefix));
    if (outer !== undefined) throw invalid(`The column ${JSON.stringify(name)} would stand inside the value of ${JSON.stringify(leaves.get(outer))}; give one of them another name with "columns"`);
  }
}

/** Columns do not stand inside each other's values: `refuseClashes` has seen to that. */
export function put(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let at = target;
  for (const step of path.slice(0, -1)) at = (at[step] ??= {}) as Record<string, unknown>;
  at[path.at(-1) as string] = value;
}
