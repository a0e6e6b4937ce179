import { z } from 'zod';
import { defineComponent } from '../component';
import { csvDialectParams, missingOf, missingValuesParam } from '../file-columns/column-params';
import { findSourceFile, sourceFileParams } from '../source-file';
import { StepProgress } from '../step-progress';
import { choiceOf, itemsImportParams } from './item-params';
import { ItemsImport } from './items-import';
import { CsvTable } from '../tables/csv-table';

export const csvItemsImport = defineComponent({
  id: '6f0e6f3a-3b1c-4d0e-9c53-0d4f4f8a7b06',
  name: 'csv_items_import',
  description: 'Makes and changes items of a collection by the rows of a CSV file. Rows that cannot be taken are left out and stand in the log; a file whose columns are wrong imports nothing',
  params: z.object({
    ...sourceFileParams('The CSV file; its first row names the columns'),
    ...itemsImportParams,
    ...csvDialectParams,
    ...missingValuesParam,
  }),
  async run(step, params) {
    const progress = new StepProgress(step);
    const source = await progress.once('source', () => findSourceFile(step, params));
    const { encoding, delimiter, decimalSeparator } = params;
    const reading = { decimalSeparator, missing: missingOf(params.missingValues), ...(encoding !== undefined && { encoding }), ...(delimiter !== undefined && { delimiter }) };
    const table = new CsvTable(step.platform.files, source, reading);
    return new ItemsImport(step, progress, { userItemId: params._userItemId, onConflict: params.onConflict, choice: choiceOf(params), source, table }).run();
  },
});
