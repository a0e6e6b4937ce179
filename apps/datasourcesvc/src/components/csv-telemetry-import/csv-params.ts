import type { CsvDialect } from '@twinyard/csv';
import { z } from 'zod';
import type { CellRules } from '../file-columns/cell-values';
import { columnsParam, csvDialectParams, missingOf, missingValuesParam, pathsOf } from '../file-columns/column-params';

/** How the cells of a file are to be read. */
export interface CsvParams extends CsvDialect, CellRules {
  readonly timestampColumn: string;
  /** From a column to the path of a measurement; all columns, each to its own name, where it is missing. */
  readonly columns: ReadonlyMap<string, string> | undefined;
}

/** Of the import of readings, as clients give them. */
export const csvFileParams = z.object({
  timestampColumn: z.string().default('timestamp').meta({ description: 'Its cells are the times of the readings' }),
  columns: columnsParam('The measurements, or an object from column to the path of the measurement (`a.b` is `b` inside `a`); else all columns', 'measurement'),
  ...csvDialectParams,
  ...missingValuesParam,
});

export function toCsvParams({ encoding, delimiter, timestampColumn, columns, decimalSeparator, missingValues }: z.output<typeof csvFileParams>): CsvParams {
  return {
    ...(encoding !== undefined && { encoding }),
    ...(delimiter !== undefined && { delimiter }),
    timestampColumn, decimalSeparator, columns: pathsOf(columns), missing: missingOf(missingValues),
  };
}
