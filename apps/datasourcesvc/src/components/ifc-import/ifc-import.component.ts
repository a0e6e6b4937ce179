import { invalid, ServiceError } from '@twinyard/conventions';
import { z } from 'zod';
import { wordsOf } from '../../ifc/ifc-faults';
import { type IfcModel, MAX_IFC_BYTES } from '../../ifc/ifc-model';
import { PlatformError } from '../../platform-client/platform-error';
import { type Component, defineComponent } from '../component';
import { text } from '../component-params';
import { ModelWriter } from '../model-import/model-writer';
import { findSourceFile, type SourceFile, sourceFileParams } from '../source-file';
import type { StepContext } from '../step-context';
import { StepProgress } from '../step-progress';
import { COLLECTIONS, COMPOSITE, itemIdOf, titleOf } from './import-target';
import { changesOf, COMPARED, type ModelChanges, type Previous, wordsOfChanges } from './model-difference';
import { countOf, itemsOf } from './model-items';
import { RELATIONS } from './model-relations';

export type ReadIfc = (bytes: Uint8Array, options: { readonly signal: AbortSignal }) => Promise<IfcModel>;

const IFC_PARAMS = z.object({
  ...sourceFileParams('The IFC file'),
  name: text('Name of the composite; else that of the file').optional(),
  strict: z.boolean().default(false).meta({ description: 'Imports nothing of a file that has a fault; else what could not be read is left out and stands in the log' }),
});

export const ifcImport = (readIfc: ReadIfc): Component => defineComponent({
  id: '6f0e6f3a-3b1c-4d0e-9c53-0d4f4f8a7b02',
  name: 'ifc_import',
  description: 'Reads an IFC file into a composite of collections of its elements, their properties, their types and the spatial structure',
  params: IFC_PARAMS,
  run: (step, params) => importIfc(step, params, readIfc),
});

async function importIfc(step: StepContext, params: z.output<typeof IFC_PARAMS>, readIfc: ReadIfc): Promise<unknown> {
  const progress = new StepProgress(step);
  const source = await progress.once('source', () => findSourceFile(step, params));
  const name = params.name ?? source.name;
  const model = await read(step, source, { strict: params.strict, readIfc });
  const idOf = (key: string | number) => itemIdOf(source, key);
  const writer = new ModelWriter(step, progress, source);
  const { composite, collections, relations } = await writer.write({
    composite: { userType: COMPOSITE, name },
    collections: COLLECTIONS.map((userType) => ({ userType, title: titleOf(userType, name), count: countOf(userType, model), items: () => itemsOf(userType, model, idOf) })),
    relations: RELATIONS.map(({ from, to, pairs }) => ({ from, to, pairs: () => pairs(model).map(([one, other]) => [idOf(one), idOf(other)] as const) })),
    skipped: model.report.skipped,
  });
  const changes = await progress.once('changes', () => tellChanges(step, writer, model));
  return {
    _fileId: source.fileId, _fileVersionId: source.fileVersionId, schema: model.schema, composite, collections,
    counts: { ...countsOf(model), relations, skipped: model.report.skipped }, ...(changes !== null && { changes }),
  };
}

/** `null`: there is nothing to compare with. */
async function tellChanges(step: StepContext, writer: ModelWriter, model: IfcModel): Promise<ModelChanges | null> {
  const previous = Object.fromEntries(COLLECTIONS.map((userType) => [userType, writer.previousOf(userType)]));
  if (COLLECTIONS.some((userType) => previous[userType] === undefined)) return null;
  try {
    const changes = await changesOf(step, previous as Previous, model);
    const words = COMPARED.map((userType) => wordsOfChanges(userType, changes[userType])).filter((said) => said !== undefined);
    await step.logAll((words.length > 0 ? words : ['Nothing has changed since the version before']).map((message) => ({ level: 'info', message })));
    return changes;
  } catch (error) {
    // The model is there: that nobody can say what is new in it ends no run.
    if (step.signal.aborted || !(error instanceof PlatformError || error instanceof ServiceError)) throw error;
    await step.log('warn', `What has changed since the version before is not known: ${error.message}`);
    return null;
  }
}

async function read({ platform, signal, log }: StepContext, source: SourceFile, { strict, readIfc }: { readonly strict: boolean; readonly readIfc: ReadIfc }): Promise<IfcModel> {
  const bytes = await platform.files.download(source.fileId, source.fileVersionId, MAX_IFC_BYTES);
  const model = await readIfc(bytes, { signal });
  await log('info', `Read ${source.name} (${model.schema}): ${model.elements.length} elements, ${model.types.length} types, ${model.containers.length} containers, from ${model.report.entities} entities`);
  if (strict && model.report.faults.length > 0) throw invalid(`The file has faults, and with "strict" nothing is imported. ${model.report.faults.map(wordsOf).join('. ')}`);
  for (const fault of model.report.faults) await log('warn', `Entities ${wordsOf(fault)}`);
  return model;
}

const countsOf = ({ elements, types, containers }: IfcModel) => ({
  elements: elements.length,
  properties: elements.reduce((sum, { properties }) => sum + Object.keys(properties).length, 0),
  types: types.length,
  containers: containers.length,
});
