import { conflict, invalid, limitExceeded } from '@twinyard/conventions';
import type { IndexSpec } from '../document-store';
import { parsePath } from '../filter/path';
import { textLanguage } from './text-languages';

const MAX_PATHS = 31;

export const isText = (index: IndexSpec) => Object.values(index.key).includes('text');
export const isUnique = (index: IndexSpec): boolean => index.options.unique === true && !isText(index);

/** Whether there is this index already; throws when there can be no such one. The order of the paths counts. */
export function isThere(specs: readonly IndexSpec[], index: IndexSpec, most: number): boolean {
  const same = specs.find((spec) => spec.options.name === index.options.name);
  if (same && saysSame(same, index)) return true;
  if (same) throw conflict(`There is another index ${JSON.stringify(index.options.name)}`);
  if (isText(index) && specs.some(isText)) throw conflict('There is a text index already');
  if (specs.length >= most) throw limitExceeded(`A collection has at most ${most} indexes`);
  return false;
}

/** One that was asked for as unique is not there while another of its name and paths lets values repeat. */
const saysSame = (one: IndexSpec, other: IndexSpec): boolean => (
  JSON.stringify(Object.entries(one.key)) === JSON.stringify(Object.entries(other.key)) && isUnique(one) === isUnique(other) &&
  (!isText(one) || textLanguage(one) === textLanguage(other))
);

export function checkIndexSpec(index: IndexSpec): void {
  const paths = Object.entries(index.key);
  if (paths.length === 0 || paths.length > MAX_PATHS) throw invalid(`key: an index has 1 to ${MAX_PATHS} paths`);
  for (const [path, direction] of paths) {
    parsePath(path, 'key');
    if (direction !== 1 && direction !== -1 && direction !== 'text') throw invalid(`key: ${path} takes 1, -1 or "text"`);
  }
  if (isText(index) && !paths.every(([, direction]) => direction === 'text')) throw invalid('key: a text index has only text paths');
  if (isText(index)) textLanguage(index);
}
