import { type CsvDialect, MISSING_VALUES } from '@twinyard/csv';
import { z } from 'zod';
import { text } from '../component-params';

/** How the cells of a file are to be read. */
export interface CsvParams extends CsvDialect {
  readonly timestampColumn: string;
  /** From a column to the path of a measurement; all columns, each to its own name, where it is missing. */
  readonly columns: ReadonlyMap<string, string> | undefined;
  readonly decimalSeparator: '.' | ',';
  /** Texts that stand for no value. */
  readonly missing: ReadonlySet<string>;
}

const MISSING = ['', 'null', ...MISSING_VALUES];

const COLUMNS = { error: 'must be an array of columns, or an object from column to measurement' };
const PATHS = z.record(z.string(), z.string().min(1, COLUMNS)).refine((paths) => Object.keys(paths).length > 0, COLUMNS);

/** Of every component that reads CSV, as clients give them. */
export const csvFileParams = z.object({
  timestampColumn: z.string().default('timestamp').meta({ description: 'Its cells are the times of the readings' }),
  columns: z.union([z.array(z.string().min(1, COLUMNS)).min(1, COLUMNS), PATHS], COLUMNS).optional().meta({
    description: 'The measurements, or an object from column to the path of the measurement (`a.b` is `b` inside `a`); else all columns',
    examples: [['supply', 'return'], { 'T 1': 'AHU1.Supply' }],
  }),
  encoding: text('Else UTF-8, or UTF-16 with its byte order mark', { examples: ['windows-1252', 'iso-8859-15'] }).optional(),
  delimiter: text('Else the one of `,` `;` tab `|` that the header and the first row have').optional(),
  decimalSeparator: z.enum(['.', ',']).default('.').meta({ description: 'Where it is `,` thousands may have dots' }),
  missingValues: z.array(z.string()).optional().meta({ description: 'Cells that hold no value beside the empty ones; else `NaN`, `nan`, `NA`, `N/A`, `#N/A`, `null`, `NULL`, `-`' }),
});

export function toCsvParams({ encoding, delimiter, timestampColumn, columns, decimalSeparator, missingValues }: z.output<typeof csvFileParams>): CsvParams {
  return {
    ...(encoding !== undefined && { encoding }),
    ...(delimiter !== undefined && { delimiter }),
    timestampColumn, decimalSeparator, columns: columns && columnsOf(columns),
    missing: new Set(missingValues === undefined ? MISSING : ['', ...missingValues.map((value) => value.trim())]),
  };
}

function columnsOf(columns: readonly string[] | Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  const pairs = Array.isArray(columns) ? columns.map((name: string): [string, string] => [name, name]) : Object.entries(columns as Readonly<Record<string, string>>);
  return new Map(pairs.map(([column, path]) => [column.trim(), path]));
}
