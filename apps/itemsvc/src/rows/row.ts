import { type QueryValues, invalidField, textParameter } from '@twinyard/conventions';

/** How rows lie in a file. */
export const ROW_FORMATS = ['ndjson', 'csv'] as const;
export type RowFormat = (typeof ROW_FORMATS)[number];

/** A row of a file as it was read: its JSON, or why there is none. */
export type Row = { readonly line: number; readonly value: unknown; readonly fault?: undefined } | BadRow;

export interface BadRow {
  /** The first line of the row, from 1; the header of a CSV file is one. */
  readonly line: number;
  readonly fault: string;
}

export function parseRowFormat(query: QueryValues): RowFormat {
  const text = textParameter(query, 'format') || 'ndjson';
  const format = ROW_FORMATS.find((one) => one === text);
  if (format === undefined) throw invalidField('format', `must be ${ROW_FORMATS.join(' or ')}`);
  return format;
}
