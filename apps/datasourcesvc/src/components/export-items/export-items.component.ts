import { type FieldIssue, invalid } from '@twinyard/conventions';
import { CsvFault, isDelimiter, parseHeader } from '@twinyard/csv';
import { z } from 'zod';
import type { ExportTerms } from '../../platform-client/items-client';
import { defineComponent } from '../component';
import { text } from '../component-params';
import { columnsParam, pathsOf } from '../file-columns/column-params';
import { filePlaceParams, namespacesIn } from '../made-files/file-place';
import { MadeOnce } from '../made-files/made-once';
import type { StepContext } from '../step-context';
import { StepProgress } from '../step-progress';
import { isAskable, projectionOf } from './export-columns';
import { csvFile } from './files/csv-file';
import type { ExportFigures, ExportForm, FileFormat } from './files/exported-file';
import { ndjsonFile } from './files/ndjson-file';
import { xlsxFile } from './files/xlsx-file';

const FORMATS = { csv: csvFile, xlsx: xlsxFile, ndjson: ndjsonFile } as const satisfies Record<string, FileFormat>;

const filter = z.record(z.string(), z.unknown());

const PARAMS = z.object({
  _userItemId: text('The collection'),
  _userItemVersionId: text('A version of it; else the latest').optional(),
  query: filter.optional().meta({ description: 'Which items, as in lists; else all', examples: [{ 'AHU1.Supply': { $gt: 20 } }] }),
  sort: filter.optional().meta({ description: 'In which order, as in lists; else that of their creation', examples: [{ name: 1 }] }),
  columns: columnsParam('Of csv and xlsx: dotted paths of properties, or an object from path to the name of the column; else all but `_guid` and `_metadata`. Of ndjson: the properties', 'name'),
  format: z.enum(['csv', 'xlsx', 'ndjson']).default('csv').meta({ description: 'xlsx has up to 1,048,575 rows and cells of up to 32,767 characters' }),
  name: text('Name of the file; else that of the collection. A file of that name in the folder gets a new version').optional(),
  ...filePlaceParams,
  delimiter: z.string().refine(isDelimiter, { error: 'must be one character of ASCII, and no quote' }).default(',').meta({ description: 'Of csv' }),
  bom: z.boolean().default(false).meta({ description: 'Of csv: a byte order mark first, without which some spreadsheets read UTF-8 as something else' }),
});

type Params = z.output<typeof PARAMS>;

export const exportItems = defineComponent({
  id: '6f0e6f3a-3b1c-4d0e-9c53-0d4f4f8a7b08',
  name: 'export_items',
  description: 'Writes items of a collection, as they are at one moment, to a file of CSV, XLSX or NDJSON. What looks like a formula is none there',
  params: PARAMS,
  faultsOf: ({ columns, format }) => faultsOfColumns(columns as Params['columns'], format as Params['format']),
  async run(step, params) {
    const { platform, log } = step;
    const format: FileFormat = FORMATS[params.format];
    const progress = new StepProgress(step);
    const source = await progress.once('source', () => findSource(step, params));
    const name = params.name ?? `${source.name}.${format.extension}`;
    const namespaces = await progress.once('namespaces', () => namespacesIn(step, params._parentId));
    const place = { name, parentId: params._parentId, namespaces, tags: params._tags };
    const form = { ...formOf(params), sheet: source.name };
    const terms = termsOf(params, format, source.versionId);
    const made = await progress.once('made', () => new MadeOnce<ExportFigures>(step, progress, place).make(async (over) => {
      const figures = { rows: 0, columns: 0 };
      const bytes = format.make(await platform.items.exported(source.itemId, terms, over), form, figures);
      return { bytes, contentType: format.contentType, figures, report: () => ({ _done: figures.rows }) };
    }));
    await log('info', `Wrote ${made.rows} items to ${name}, ${made.bytes} bytes`);
    return {
      _fileId: made.fileId, _fileVersionId: made.fileVersionId, _version: made.version, name, format: params.format, _userItemId: params._userItemId, _userItemVersionId: source.versionId,
      counts: { rows: made.rows, ...(params.format !== 'ndjson' && { columns: made.columns }), bytes: made.bytes },
    };
  },
});

async function findSource({ platform }: StepContext, { _userItemId, _userItemVersionId }: Params) {
  const item = await platform.items.findItem({ _userItemId });
  if (item === undefined) throw invalid(`There is no collection ${_userItemId} that the run may read`);
  return { itemId: item._id, name: _userItemId, versionId: _userItemVersionId ?? item._tipId };
}

const formOf = ({ columns, delimiter, bom }: Params): Omit<ExportForm, 'sheet'> => ({ columns: pathsOf(columns), delimiter, bom });

function termsOf({ columns, query, sort, format }: Params, { asked }: FileFormat, userItemVersionId: string): ExportTerms {
  const project = format === 'ndjson' && columns === undefined ? undefined : projectionOf(pathsOf(columns));
  return { format: asked, userItemVersionId, ...(query && { query }), ...(sort && { sort }), ...(project && { project }) };
}

function faultsOfColumns(columns: Params['columns'], format: Params['format']): FieldIssue[] {
  return [...(pathsOf(columns)?.keys() ?? [])].flatMap((path) => {
    const issue = faultOfPath(path, format);
    return issue === undefined ? [] : [{ field: 'columns', issue }];
  });
}

function faultOfPath(path: string, format: Params['format']): string | undefined {
  try {
    const steps = parseHeader(path);
    return format === 'ndjson' && !isAskable(steps) ? `${JSON.stringify(path)} has a name with a dot, which ndjson cannot choose` : undefined;
  } catch (error) {
    if (error instanceof CsvFault) return error.message;
    throw error;
  }
}
