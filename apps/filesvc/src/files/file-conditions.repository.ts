import { isUuid } from '@twinyard/conventions';
import { type FileFilter, onlyUuids } from './file-filter';
import type { FileSearch } from './file-reach.repository';
import type { SqlValues } from './sql-values';

/** Text in names, by what indexes of them answer: one of names, and one of names that are written backwards. */
const NAMED = {
  equals: (wanted: string) => `file.name = ${wanted}`,
  startsWith: (wanted: string) => `file.name ^@ ${wanted}`,
  endsWith: (wanted: string) => `reverse(file.name) ^@ reverse(${wanted})`,
  contains: (wanted: string) => `position(${wanted} IN file.name) > 0`,
} as const;

/** `undefined` when nothing can match. An expression is left to be matched elsewhere. */
export function searchOf(filter: FileFilter, reached: readonly string[], values: SqlValues): FileSearch | undefined {
  const { parents = [], ids, tags, name } = filter;
  // A file has one parent, so two different ones leave nothing; a text that is no id names no folder.
  if (parents.length > 1 || parents.some((parent) => parent !== null && !isUuid(parent))) return undefined;
  const narrowed = narrowing(filter, reached).map((namespaces) => `${values.bind(namespaces)}::text[]`);
  const kinds = kindsOf(filter, values);
  return {
    parent: parents[0],
    ...(isCounted(filter) && { counted: [...narrowed.map((namespaces) => `namespace = ANY (${namespaces})`), ...kinds] }),
    conditions: [
      ...narrowed.map((namespaces) => `file.namespaces && ${namespaces}`),
      ...(ids ? [`file.id = ANY (${values.bind(onlyUuids(ids))}::uuid[])`] : []),
      ...(tags ? [`file.tags && ${values.bind(tags)}::text[]`] : []),
      ...kinds.map((condition) => `file.${condition}`),
      ...(name && name.kind !== 'expression' ? [NAMED[name.kind](`${values.bind(name.text)}::text`)] : []),
    ],
  };
}

/** Whether nothing is asked for but what files are counted by. */
const isCounted = ({ parents = [], ids, tags, name }: FileFilter) => parents.length === 0 && ids === undefined && tags === undefined && name === undefined;

const kindsOf = ({ statuses, type }: FileFilter, values: SqlValues) => [
  ...(statuses ? [`status = ANY (${values.bind(statuses)}::text[])`] : []),
  ...(type ? [`type = ${values.bind(type)}`] : []),
];

/** Namespaces that are asked for, unless all that can be reached are among them: then every file in reach is in one of these. */
const narrowing = ({ namespaces }: FileFilter, reached: readonly string[]) => (namespaces?.length && reached.some((namespace) => !namespaces.includes(namespace)) ? [namespaces] : []);
