import { findInexactNumber, invalid } from '@twinyard/conventions';
import { cellDecoder, type CsvDialect, CsvFault, decodeTextCell, readCsvRows, trimHeader } from '@twinyard/csv';
import type { FilesClient } from '../../platform-client/files-client';
import { type CellRules, type ItemValue, MISSING } from '../file-columns/cell-values';
import type { SourceFile } from '../source-file';
import type { Table, TableForm, TableRows } from './table';

const WHOLE = /^-?\d+$/;

/** Cells as `itemsvc` writes and reads them: what an export has written is read back as it was. */
export function csvForm({ missing, decimalSeparator }: CellRules): TableForm<string> {
  const decode = cellDecoder({ decimalSeparator, missingValues: [] });
  const valueOf = (cell = ''): ItemValue => {
    const text = cell.trim();
    if (missing.has(text)) return MISSING;
    const value = decode(text);
    if (typeof value === 'number') return { kind: 'number', value };
    if (typeof value === 'string') return value === text ? plain(cell, text) : { kind: 'text', value };
    // A number within a list would be another one.
    return typeof value === 'object' && findInexactNumber(text) !== undefined ? { kind: 'text', value: cell } : { kind: 'other', value };
  };
  const textOf = (cell = ''): ItemValue => {
    const text = cell.trim();
    return missing.has(text) ? MISSING : { kind: 'text', value: text.startsWith('"') ? (decodeTextCell(text) ?? '') : cell };
  };
  const keyOf = (cell?: string) => {
    const value = textOf(cell);
    return value.kind === 'text' ? value.value.trim() : '';
  };
  return { place: 'line', isRectangular: true, nameOf: (cell = '') => trimHeader(cell), keyOf, valueOf, textOf };
}

const plain = (cell: string, text: string): ItemValue => (WHOLE.test(text) && !Number.isSafeInteger(Number(text)) ? { kind: 'large', value: text } : { kind: 'text', value: cell });

export class CsvTable implements Table<string> {
  readonly form: TableForm<string>;

  constructor(private readonly files: FilesClient, private readonly source: SourceFile, private readonly reading: CsvDialect & CellRules) {
    this.form = csvForm(reading);
  }

  through<T>(read: (rows: TableRows<string>) => Promise<T>): Promise<T> {
    return this.files.readThrough(this.source.fileId, this.source.fileVersionId, (bytes) => read(csvRows(bytes, this.reading)));
  }

  remarks(): readonly string[] {
    return [];
  }
}

/** `maxRowBytes`: a row that is longer is bad. */
export async function* csvRows(bytes: AsyncIterable<Uint8Array>, dialect: CsvDialect, maxRowBytes?: number): TableRows<string> {
  try {
    yield* readCsvRows(bytes, dialect, maxRowBytes);
  } catch (error) {
    throw error instanceof CsvFault ? invalid(`The file is not CSV: ${error.message}`) : error;
  }
}
