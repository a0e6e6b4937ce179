import { invalidField } from '@twinyard/conventions';
import { type CsvDialect, MISSING_VALUES } from '@twinyard/csv';
import { optionalText, type StepParams } from '../step-params';

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

export function parseCsvParams(params: StepParams): CsvParams {
  const [encoding, delimiter] = [optionalText(params, 'encoding'), optionalText(params, 'delimiter')];
  return {
    ...(encoding !== undefined && { encoding }),
    ...(delimiter !== undefined && { delimiter }),
    timestampColumn: optionalText(params, 'timestampColumn') ?? 'timestamp',
    columns: columnsOf(params['columns']),
    decimalSeparator: separatorOf(optionalText(params, 'decimalSeparator') ?? '.'),
    missing: missingOf(params['missingValues']),
  };
}

/** An array of columns, or an object from column to the path of the measurement. */
function columnsOf(columns: unknown): ReadonlyMap<string, string> | undefined {
  if (columns === undefined || columns === null) return undefined;
  const pairs = Array.isArray(columns) ? columns.map((name: unknown) => [name, name]) : Object.entries(columns as object);
  const isNamed = ([column, path]: unknown[]) => typeof column === 'string' && typeof path === 'string' && path !== '';
  if (typeof columns !== 'object' || pairs.length === 0 || !pairs.every(isNamed)) {
    throw invalidField('columns', 'must be an array of columns, or an object from column to measurement');
  }
  return new Map((pairs as [string, string][]).map(([column, path]) => [column.trim(), path]));
}

function separatorOf(text: string): '.' | ',' {
  if (text !== '.' && text !== ',') throw invalidField('decimalSeparator', 'must be . or ,');
  return text;
}

function missingOf(values: unknown): ReadonlySet<string> {
  if (values === undefined || values === null) return new Set(MISSING);
  if (!Array.isArray(values) || !values.every((value) => typeof value === 'string')) throw invalidField('missingValues', 'must be an array of texts');
  return new Set(['', ...(values as string[]).map((value) => value.trim())]);
}
