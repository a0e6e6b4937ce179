import { invalid } from '@twinyard/conventions';
import { CsvFault, formatHeader, parseHeader } from '@twinyard/csv';
import { columnNamed, type NamedColumn, refuseClashes, refuseRepeated } from '../file-columns/column-names';

export const KEY = '_sourceId';

/** Which columns of a file become what. */
export interface ColumnChoice {
  readonly keyColumn: string;
  /** From a column to the path of a property; all columns but that of the key, each to its own name, where it is missing. */
  readonly columns: ReadonlyMap<string, string> | undefined;
  /** Columns whose cells are texts, whatever they look like. */
  readonly textColumns: readonly string[];
}

export interface ItemColumn extends NamedColumn {
  readonly isText: boolean;
}

export interface ItemColumns {
  readonly width: number;
  readonly key: NamedColumn;
  readonly fields: readonly ItemColumn[];
  /** Columns without a name, which may hold nothing. */
  readonly nameless: readonly number[];
  /** Columns of the platform's own properties, as exports have them: left out. */
  readonly own: readonly string[];
}

/** What the platform writes itself, and relations, which no cell can say. */
const OWN = new Set(['_id', '_guid', '_metadata', '_uri', '_relationships', '_related']);

export function findItemColumns(names: readonly string[], { keyColumn, columns, textColumns }: ColumnChoice): ItemColumns {
  refuseRepeated(names);
  const key: NamedColumn = { index: columnNamed(names, keyColumn.trim()), name: keyColumn.trim(), path: [KEY] };
  const texts = new Set(textColumns.map((name) => names[columnNamed(names, name.trim())] as string));
  const toColumn = ([name, path]: readonly [string, string]): ItemColumn => ({ index: columnNamed(names, name), name, path: pathOf(path), isText: texts.has(name) });
  const others = names.filter((name, index) => index !== key.index && name !== '').map((name) => toColumn([name, name]));
  const isOwn = ({ path }: NamedColumn) => OWN.has(path[0] as string);
  const fields = columns === undefined ? others.filter((column) => !isOwn(column)) : [...columns].map(toColumn);
  const refused = fields.filter((column) => isOwn(column) || column.path.some((step) => step.startsWith('$')));
  if (refused.length > 0) throw invalid(`A property cannot be named ${refused.map(({ path }) => formatHeader(path)).join(', ')}; give it another name with "columns"`);
  refuseClashes([key, ...fields], 'property');
  return {
    width: names.length, key, fields,
    nameless: names.flatMap((name, index) => (name === '' ? [index] : [])),
    own: columns === undefined ? others.filter(isOwn).map(({ name }) => name) : [],
  };
}

function pathOf(header: string): readonly string[] {
  try {
    return parseHeader(header);
  } catch (error) {
    throw error instanceof CsvFault ? invalid(error.message) : error;
  }
}
