import { formatHeader, parseHeader } from '@twinyard/csv';
import { harmlessHeader } from '../tables/csv-lines';

/** Which properties become columns; all where it is missing. From the path, as headers of CSV files have it, to the name of the column. */
export type ColumnChoice = ReadonlyMap<string, string> | undefined;

export interface ExportColumn {
  /** In a row of the items; missing where no item has it. */
  readonly index: number | undefined;
  /** The path, formatted as headers are. */
  readonly path: string;
  readonly name: string;
}

/** What the platform writes itself: in nobody's list. It is had by naming it. */
const LEFT_OUT = { _metadata: 0, _guid: 0 } as const;

/** What is asked of the items (`project`), as far as that language can say it: not of names with dots. */
export function projectionOf(columns: ColumnChoice): Readonly<Record<string, 0 | 1>> | undefined {
  if (columns === undefined) return LEFT_OUT;
  const paths = [...columns.keys()].map((path) => parseHeader(path));
  if (!paths.every(isAskable)) return undefined;
  const asked = paths.map((steps) => steps.join('.'));
  // One inside of another is there with it.
  const outer = asked.filter((path) => !asked.some((other) => path.startsWith(`${other}.`)));
  return { ...Object.fromEntries(outer.map((path) => [path, 1] as const)), ...(!asked.includes('_id') && { _id: 0 }) };
}

/** Whether a projection can name it. */
export const isAskable = (path: readonly string[]): boolean => path.every((step) => !step.includes('.') && !step.startsWith('$'));

/** `header`: the columns that the items have. A property that holds others stands for all of them. */
export function chosenColumns(header: readonly string[], columns: ColumnChoice): readonly ExportColumn[] {
  if (columns === undefined) return header.map((path, index) => ({ index, path, name: path }));
  return [...columns].flatMap(([asked, name]): ExportColumn[] => {
    const path = formatHeader(parseHeader(asked));
    const index = header.indexOf(path);
    const shown = name === asked ? path : harmlessHeader(name);
    const inner = header.flatMap((one, at) => (one.startsWith(`${path}.`) ? [{ index: at, path: one, name: shown + one.slice(path.length) }] : []));
    if (index < 0 && inner.length > 0) return inner;
    return [{ index: index < 0 ? undefined : index, path, name: shown }, ...inner];
  });
}
