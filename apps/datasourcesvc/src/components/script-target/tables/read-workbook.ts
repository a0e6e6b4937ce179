import { invalidField } from '@twinyard/conventions';
import type { TableSource } from '@twinyard/scripts';
import type { FilesClient } from '../../../platform-client/files-client';
import { missingOf } from '../../file-columns/column-params';
import { enterWorkbooks, MAX_WORKBOOK_BYTES } from '../../file-columns/workbooks';
import type { SourceFile } from '../../source-file';
import type { StepContext } from '../../step-context';
import { XlsxTable } from '../../tables/xlsx-table';
import { BatchedTable } from './batched-table';
import { rowBatches, ScriptRows } from './read-rows';

type WorkbookReading = Extract<TableSource, { readonly format: 'xlsx' }>['options'];

/** A workbook holds one of a few places: a script that forgets it, or waits for another one's place, does not keep it. */
const MOST_MINUTES = 30;

export interface WorkbookOrder {
  readonly files: FilesClient;
  readonly file: SourceFile;
  readonly reading: WorkbookReading;
}

/** When it may be in memory. */
export async function openWorkbook(reader: Pick<StepContext, 'namespaces' | 'signal'>, { files, file, reading }: WorkbookOrder): Promise<BatchedTable> {
  const { sheet, headerRow, header } = reading;
  if (headerRow !== undefined && !header) throw invalidField('headerRow', 'names no columns where "header" is false');
  const leave = await enterWorkbooks(reader);
  try {
    const bytes = await files.download(file.fileId, file.fileVersionId, MAX_WORKBOOK_BYTES);
    const table = await XlsxTable.open(bytes, { sheet, headerRow }, missingOf(reading.missingValues));
    return new BatchedTable(rowBatches(table.rows(), new ScriptRows(table.form, reading), reader), leave).closeWithin(MOST_MINUTES);
  } catch (error) {
    leave();
    throw error;
  }
}
