import { z } from 'zod';
import { defineComponent } from '../component';
import { text } from '../component-params';
import { missingOf, missingValuesParam } from '../file-columns/column-params';
import { findSourceFile, sourceFileParams } from '../source-file';
import type { StepContext } from '../step-context';
import { StepProgress } from '../step-progress';
import { inTurn, MAX_WORKBOOK_BYTES } from '../file-columns/workbooks';
import { choiceOf, itemsImportParams } from './item-params';
import { ItemsImport } from './items-import';
import { XlsxTable } from '../tables/xlsx-table';

const PARAMS = z.object({
  ...sourceFileParams('The workbook'),
  sheet: text('Name of the sheet; else the first that is not hidden').optional(),
  headerRow: z.int().min(1).max(1_048_576).optional().meta({ description: 'The row that names the columns; else the first that holds something' }),
  ...itemsImportParams,
  ...missingValuesParam,
});

export const xlsxItemsImport = defineComponent({
  id: '6f0e6f3a-3b1c-4d0e-9c53-0d4f4f8a7b07',
  name: 'xlsx_items_import',
  description: 'Makes and changes items of a collection by the rows of a sheet of an Excel workbook (.xlsx, up to 50 MB, without macros). Rows that cannot be taken are left out and stand in the log; a sheet whose columns are wrong imports nothing',
  params: PARAMS,
  run: (step, params) => inTurn(step, () => importWorkbook(step, params)),
});

async function importWorkbook(step: StepContext, params: z.output<typeof PARAMS>): Promise<unknown> {
  const progress = new StepProgress(step);
  const source = await progress.once('source', () => findSourceFile(step, params));
  const bytes = await step.platform.files.download(source.fileId, source.fileVersionId, MAX_WORKBOOK_BYTES);
  const table = await XlsxTable.open(bytes, { sheet: params.sheet, headerRow: params.headerRow }, missingOf(params.missingValues));
  return new ItemsImport(step, progress, { userItemId: params._userItemId, onConflict: params.onConflict, choice: choiceOf(params), source, table }).run();
}
