import type { Path } from '../filter/ast';

/**
 * MongoDB's paths cannot say a name with a dot in it or with `$` first, BSON no name with NUL. Such names are kept in another
 * spelling, with `%` as the sign of it: `.secret` is `%2Esecret`, `load %` is `load %25`. An empty name is `%` alone.
 */
const SPECIAL = /[%.\0]|^\$|^$/;

export function encodeName(name: string): string {
  if (!SPECIAL.test(name)) return name;
  if (name === '') return '%';
  return name.replace(/[%.\0]|^\$/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
}

export function decodeName(name: string): string {
  if (!name.includes('%')) return name;
  return name === '%' ? '' : name.replace(/%([0-9A-F]{2})/g, (_whole, code: string) => String.fromCharCode(parseInt(code, 16)));
}

/** A path in MongoDB's dotted form. */
export const encodePath = (path: Path): string => path.map(encodeName).join('.');
