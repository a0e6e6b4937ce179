import { MISSING_VALUES } from '@twinyard/csv';
import { z } from 'zod';
import { text } from '../component-params';

const MISSING = ['', 'null', ...MISSING_VALUES];

/** Which columns are taken, and what they become. */
export function columnsParam(description: string, what: string) {
  const terms = { error: `must be an array of columns, or an object from column to ${what}` };
  const paths = z.record(z.string(), z.string().min(1, terms)).refine((given) => Object.keys(given).length > 0, terms);
  return z.union([z.array(z.string().min(1, terms)).min(1, terms), paths], terms).optional().meta({ description, examples: [['supply', 'return'], { 'T 1': 'AHU1.Supply' }] });
}

/** How a CSV file is written. */
export const csvDialectParams = {
  encoding: text('Else UTF-8, or UTF-16 with its byte order mark', { examples: ['windows-1252', 'iso-8859-15'] }).optional(),
  delimiter: text('Else the one of `,` `;` tab `|` that the header and the first row have').optional(),
  decimalSeparator: z.enum(['.', ',']).default('.').meta({ description: 'Where it is `,` thousands may have dots' }),
};

export const missingValuesParam = {
  missingValues: z.array(z.string()).optional().meta({ description: 'Cells that hold no value beside the empty ones; else `NaN`, `nan`, `NA`, `N/A`, `#N/A`, `null`, `NULL`, `-`' }),
};

export const missingOf = (values: readonly string[] | undefined): ReadonlySet<string> => new Set(values === undefined ? MISSING : ['', ...values.map((value) => value.trim())]);

/** From a column to the path of what it becomes. */
export function pathsOf(columns: readonly string[] | Readonly<Record<string, string>> | undefined): ReadonlyMap<string, string> | undefined {
  if (columns === undefined) return undefined;
  const pairs = Array.isArray(columns) ? columns.map((name: string): [string, string] => [name, name]) : Object.entries(columns as Readonly<Record<string, string>>);
  return new Map(pairs.map(([column, path]) => [column.trim(), path]));
}
