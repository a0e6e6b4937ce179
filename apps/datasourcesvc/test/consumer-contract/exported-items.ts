import { encodeCell, encodeTextCell, formatHeader, parseHeader } from '@twinyard/csv';
import { stringify } from 'csv-stringify/sync';
import type { StandInVersion } from './stand-in-items';

type Fields = Readonly<Record<string, unknown>>;

/** Items as itemsvc exports them: `query` as equality, `project` of whole properties. */
export function exported({ items }: StandInVersion, { searchParams }: URL): Buffer {
  const wanted = Object.entries(JSON.parse(searchParams.get('query') ?? '{}') as Fields);
  const [, direction] = Object.entries(JSON.parse(searchParams.get('sort') ?? '{}') as Fields)[0] ?? [];
  const found = [...items.values()].filter((item) => wanted.every(([name, value]) => item[name] === value));
  const rows = (direction === -1 ? found.reverse() : found).map((item) => flat(item).filter(([path]) => isShown(path, JSON.parse(searchParams.get('project') ?? '{}') as Fields)));
  return Buffer.from(searchParams.get('format') === 'csv' ? csvOf(rows) : rows.map((row) => `${JSON.stringify(nested(row))}\n`).join(''));
}

type Cells = readonly (readonly [path: string, value: unknown])[];

function flat(value: Fields, before: readonly string[] = []): Cells {
  return Object.entries(value).flatMap(([name, child]): Cells => {
    const path = [...before, name];
    const isBranch = child !== null && typeof child === 'object' && !Array.isArray(child) && Object.keys(child).length > 0;
    return isBranch ? flat(child as Fields, path) : [[formatHeader(path), child]];
  });
}

function nested(row: Cells): Fields {
  const whole: Record<string, unknown> = {};
  for (const [path, value] of row) {
    const names = parseHeader(path);
    const inner = names.slice(0, -1).reduce((at, name) => (at[name] ??= {}) as Record<string, unknown>, whole);
    inner[names.at(-1) as string] = value;
  }
  return whole;
}

function isShown(path: string, project: Fields): boolean {
  const covers = ([key]: readonly [string, unknown]) => path === key || path.startsWith(`${key}.`);
  const entries = Object.entries(project);
  const includes = entries.filter(([, value]) => value === 1);
  if (entries.some((entry) => entry[1] === 0 && covers(entry))) return false;
  return includes.length === 0 || includes.some(covers) || path === '_id';
}

function csvOf(rows: readonly Cells[]): string {
  const header = [...new Set(rows.flatMap((row) => row.map(([path]) => path)))].sort((one, other) => Number(other === '_id') - Number(one === '_id'));
  if (header.length === 0) return '';
  const lines = rows.map((row) => {
    const cells = new Map(row);
    return header.map((path) => (['_id', '_sourceId'].includes(path) ? encodeTextCell(cells.get(path)) : encodeCell(cells.get(path))));
  });
  return stringify([header, ...lines], { record_delimiter: '\n', quoted_match: /[\r\n]|^\s|\s$/ });
}
