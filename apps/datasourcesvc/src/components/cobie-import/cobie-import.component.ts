import { invalid } from '@twinyard/conventions';
import { XlsxWorkbook } from '@twinyard/xlsx';
import { z } from 'zod';
import { defineComponent } from '../component';
import { text } from '../component-params';
import { ModelWriter } from '../model-import/model-writer';
import { undoModel } from '../model-import/undo-model';
import { findSourceFile, type SourceFile, sourceFileParams } from '../source-file';
import type { StepContext } from '../step-context';
import { StepProgress } from '../step-progress';
import { asInvalid, inTurn, MAX_WORKBOOK_BYTES } from '../file-columns/workbooks';
import { CobieFaults } from './cobie-faults';
import { cobieCollections, cobieIds, cobieRelations } from './cobie-items';
import { CobieModel } from './cobie-model';
import { ATTRIBUTES, SHEET_NAMES, SHEETS } from './cobie-sheets';
import { SheetReader } from './sheet-rows';

const COMPOSITE = 'cobie_model_version';

const COBIE_PARAMS = z.object({
  ...sourceFileParams('The workbook'),
  name: text('Name of the composite; else that of the file').optional(),
  strict: z.boolean().default(false).meta({ description: 'Imports nothing of a workbook that has a fault; else what could not be taken is left out and stands in the log' }),
});

export const cobieImport = defineComponent({
  id: '6f0e6f3a-3b1c-4d0e-9c53-0d4f4f8a7b0a',
  name: 'cobie_import',
  description: 'Reads a COBie 2.4 workbook (.xlsx, up to 50 MB, without macros) into a composite of collections of its facilities, floors, spaces, zones, types, components, systems, contacts and documents, related as the workbook says; attributes become properties',
  params: COBIE_PARAMS,
  run: (step, params) => inTurn(step, () => importCobie(step, params)),
  undo: (step) => undoModel(step, { composite: COMPOSITE, collections: SHEET_NAMES.map((sheet) => SHEETS[sheet].userType) }),
});

async function importCobie(step: StepContext, params: z.output<typeof COBIE_PARAMS>): Promise<unknown> {
  const progress = new StepProgress(step);
  const source = await progress.once('source', () => findSourceFile(step, params));
  const name = params.name ?? source.name;
  const faults = new CobieFaults();
  const model = await read(step, source, faults);
  await tellFaults(step, faults, params.strict);
  const idOf = cobieIds(source);
  const { composite, collections, relations } = await new ModelWriter(step, progress, source).write({
    composite: { userType: COMPOSITE, name }, collections: cobieCollections(model, name, idOf), relations: cobieRelations(model, idOf), skipped: faults.skipped,
  });
  return {
    _fileId: source.fileId, _fileVersionId: source.fileVersionId, composite, collections,
    counts: { ...Object.fromEntries(SHEET_NAMES.map((sheet) => [SHEETS[sheet].userType, model.things(sheet).length])), attributes: attributesOf(model), relations, skipped: faults.skipped },
  };
}

async function read({ platform, log }: StepContext, source: SourceFile, faults: CobieFaults): Promise<CobieModel> {
  const bytes = await platform.files.download(source.fileId, source.fileVersionId, MAX_WORKBOOK_BYTES);
  const { workbook, model } = await asInvalid(async () => {
    const opened = await XlsxWorkbook.open(bytes);
    return { workbook: opened, model: await modelOf(opened, faults) };
  });
  await log('info', `Read ${source.name}: ${SHEET_NAMES.map((sheet) => `${sheet} ${model.things(sheet).length}`).join(', ')}, ${ATTRIBUTES} ${attributesOf(model)}`);
  await tellSheets(workbook, log);
  return model;
}

async function modelOf(workbook: XlsxWorkbook, faults: CobieFaults): Promise<CobieModel> {
  const there = new Set(workbook.sheets.map(({ name }) => name));
  if (!SHEET_NAMES.some((sheet) => there.has(sheet))) throw invalid(`The workbook has none of the sheets of COBie (${SHEET_NAMES.join(', ')})`);
  const [reader, model] = [new SheetReader(workbook, faults), new CobieModel(faults)];
  for (const sheet of SHEET_NAMES.filter((name) => there.has(name))) {
    for await (const row of reader.read(sheet, [SHEETS[sheet].key])) model.take(sheet, row);
  }
  if (there.has(ATTRIBUTES)) for await (const row of reader.read(ATTRIBUTES, ['Name', 'SheetName', 'RowName', 'Value'])) model.takeAttribute(row);
  await model.resolve();
  return model;
}

const IMPORTED: ReadonlySet<string> = new Set([...SHEET_NAMES, ATTRIBUTES]);

async function tellSheets({ sheets }: XlsxWorkbook, log: StepContext['log']): Promise<void> {
  const others = sheets.map(({ name }) => name).filter((name) => !IMPORTED.has(name));
  if (others.length > 0) await log('info', `Sheets that are not imported: ${others.slice(0, 30).join(', ')}`);
  const missing = [...IMPORTED].filter((sheet) => !sheets.some(({ name }) => name === sheet));
  if (missing.length > 0) await log('info', `Sheets that the workbook does not have: ${missing.join(', ')}`);
}

async function tellFaults({ logAll }: StepContext, faults: CobieFaults, isStrict: boolean): Promise<void> {
  const sentences = faults.sentences();
  if (isStrict && sentences.length > 0) throw invalid(`The workbook has faults, and with "strict" nothing is imported. ${sentences.join('. ')}`);
  await logAll(sentences.map((message) => ({ level: 'warn', message })));
}

const attributesOf = (model: CobieModel) => SHEET_NAMES.reduce((sum, sheet) => model.things(sheet).reduce((some, { attributes }) => some + attributes.length, sum), 0);
