import type { AnswerTerms, CsvText, ReadTable, ScriptTables, TableSource, TableTarget, TextForm, WrittenTable } from '@twinyard/scripts';
import type { FilePlace } from '../../../platform-client/files-client';
import { findSourceFile } from '../../source-file';
import type { StepContext } from '../../step-context';
import { BatchedTable } from './batched-table';
import { formattedText, parsedText } from './csv-text';
import { csvBatches } from './read-csv';
import { openWorkbook } from './read-workbook';
import { type MakeFile, UploadedTable } from './uploaded-table';
import { atMost, csvBytes, type GivenRows, requireDelimiter, xlsxBytes } from './written-bytes';
import type { WrittenRows } from './written-rows';

/** Contract 5: of a file that a script reads or writes row by row. */
const MOST_BYTES = 50 * 1_048_576;
const CONTENT_TYPES = { csv: 'text/csv; charset=utf-8', xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' } as const;

/** Tables of a script, in the files that its run may read and write. */
export class StepTables implements ScriptTables {
  constructor(private readonly step: Pick<StepContext, 'namespaces' | 'platform'>) {}

  async open({ format, fileId, options }: TableSource, { signal }: AnswerTerms): Promise<ReadTable> {
    const platform = this.step.platform.within(signal);
    const file = await findSourceFile({ platform }, { _fileId: fileId, _fileVersionId: options.fileVersionId });
    if (format === 'xlsx') return openWorkbook({ namespaces: this.step.namespaces, signal }, { files: platform.files, file, reading: options });
    return new BatchedTable(csvBatches(platform.files.readSlowly(file.fileId, file.fileVersionId, MOST_BYTES), { reading: options, encoding: options.encoding, signal }));
  }

  async create(target: TableTarget, { signal }: AnswerTerms): Promise<WrittenTable> {
    const bytesOf = bytesMaker(target);
    const { parent, namespaces = this.step.namespaces, tags, columns } = target.options;
    const place: FilePlace = { name: target.name, parentId: parent, namespaces, tags };
    const make: MakeFile = (table, rows, unwanted) => {
      const ending = AbortSignal.any([signal, unwanted]);
      const bytes = atMost(bytesOf(table, { rows, signal: ending }), MOST_BYTES, JSON.stringify(target.name));
      return this.step.platform.within(ending).files.uploadGrowing(place, CONTENT_TYPES[target.format], bytes);
    };
    return new UploadedTable(columns, make);
  }

  parse(text: CsvText): Promise<string> {
    return parsedText(text);
  }

  format(rows: readonly unknown[], form: TextForm): Promise<string> {
    return formattedText(rows, form);
  }
}

function bytesMaker(target: TableTarget): (table: WrittenRows, given: GivenRows) => AsyncIterable<Uint8Array> {
  if (target.format === 'csv') {
    requireDelimiter(target.options.delimiter);
    return (table, given) => csvBytes(table, given, target.options);
  }
  const { name, options: { sheet = name.replace(/\.xlsx$/i, '') } } = target;
  return (table, given) => xlsxBytes(table, given, sheet);
}
