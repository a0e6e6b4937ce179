import type { ParsedFilter } from '@twinyard/documents';

type Condition = ParsedFilter['condition'];

/** The paths that decide whether an item lies in a part of a collection, and what they lead through: a change of any of these may have moved it. */
export const pathsTo = ({ condition }: ParsedFilter): readonly string[] => [...new Set(pathsIn(condition))];

function pathsIn(condition: Condition): string[] {
  if (condition.kind === 'text') return [];
  if (condition.kind !== 'field') return condition.of.flatMap(pathsIn);
  return condition.path.map((_, length) => condition.path.slice(0, length + 1).join('.'));
}
