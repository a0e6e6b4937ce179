import type { Path } from '../filter/ast';
import { isIndex } from '../filter/path';

/**
 * One reading of a MongoDB path as SQL/JSON path (lax mode). Lax `.name` looks through one array, as MongoDB does. A number is
 * two readings: the name of a field, and the index of an array; the second needs a guard, since lax `[0]` takes a scalar for
 * an array of one, and since what a filter `?` looks at is already an element. So the objects that hold the last name are
 * selected first (`parent`), and the value is spoken of from there (`leaf`, from `@`).
 */
export interface PathReading {
  readonly parent: string;
  readonly leaf: string;
  /** What must hold of `@` for `leaf` to be meant; empty: nothing. */
  readonly guards: readonly string[];
  /** The path ends with an index: MongoDB then does not look into the elements of the value. */
  readonly indexed: boolean;
  /** The same values from the root without guards, when no index is in the path. */
  readonly chain?: string;
  /** For each name on the way: the objects that should hold it, the name from `@`, and whether it is the last step. */
  readonly names: readonly { readonly parent: string; readonly leaf: string; readonly last: boolean }[];
}

interface Segment {
  readonly name: string;
  readonly indexes: readonly string[];
}

/** JSON text is valid SQL/JSON path text; numbers too. */
export const literal = (value: unknown) => JSON.stringify(value);
const member = (name: string) => `.${literal(name)}`;

export function readPath(path: Path): readonly PathReading[] {
  return segmentations(path).map(toReading);
}

/** All ways to take the numbers of a path as names or as indexes; the first step is always a name. */
function segmentations(path: Path): readonly (readonly Segment[])[] {
  let ways: readonly (readonly Segment[])[] = [[]];
  for (const [position, step] of path.entries()) {
    const named = ways.map((way) => [...way, { name: step, indexes: [] }]);
    ways = position > 0 && isIndex(step) ? named.concat(ways.map((way) => withIndex(way, step))) : named;
  }
  return ways;
}

function withIndex(way: readonly Segment[], index: string): Segment[] {
  const last = way.at(-1) as Segment;
  return [...way.slice(0, -1), { name: last.name, indexes: [...last.indexes, index] }];
}

function toReading(way: readonly Segment[]): PathReading {
  let parent = '$';
  const names: { parent: string; leaf: string; last: boolean }[] = [];
  for (const [position, segment] of way.entries()) {
    const last = position === way.length - 1;
    if (segment.indexes.length === 0) names.push({ parent, leaf: `@${member(segment.name)}`, last });
    if (last) break;
    parent = segment.indexes.length === 0 ? parent + member(segment.name) : `${parent} ? (${guardsOf(segment, false).join(' && ')})${stepOf(segment)}`;
  }
  const final = way.at(-1) as Segment;
  const indexed = final.indexes.length > 0;
  return {
    parent,
    leaf: `@${stepOf(final)}`,
    guards: guardsOf(final, parent === '$'),
    indexed,
    names,
    ...(way.every((segment) => segment.indexes.length === 0) && { chain: way.map((segment) => member(segment.name)).join('') }),
  };
}

const stepOf = (segment: Segment) => member(segment.name) + segment.indexes.map((index) => `[${index}]`).join('');

function guardsOf(segment: Segment, isRoot: boolean): string[] {
  const arrays = segment.indexes.map((_, count) => {
    const before = segment.indexes.slice(0, count).map((index) => `[${index}]`);
    return `@${member(segment.name)}${before.join('')}.type() == "array"`;
  });
  return isRoot ? arrays : [OBJECT, ...arrays];
}

export const OBJECT = '@.type() == "object"';
