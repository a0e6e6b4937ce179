import { invalid, ServiceError } from '@twinyard/conventions';
import { z } from 'zod';
import { wordsOf } from '../../ifc/ifc-faults';
import type { IfcReader } from '../../ifc/on-disk/ifc-reader';
import type { ModelOnDisk } from '../../ifc/on-disk/model-on-disk';
import { PlatformError } from '../../platform-client/platform-error';
import { type Component, defineComponent } from '../component';
import { text } from '../component-params';
import { ModelWriter } from '../model-import/model-writer';
import { undoModel } from '../model-import/undo-model';
import { findSourceFile, type SourceFile, sourceFileParams } from '../source-file';
import type { StepContext } from '../step-context';
import { StepProgress } from '../step-progress';
import { COLLECTIONS, COMPOSITE, itemIdOf, titleOf } from './import-target';
import { changesOf, COMPARED, type ModelChanges, type Previous, wordsOfChanges } from './model-difference';
import { countOf, itemsOf } from './model-items';
import { pairsOf, RELATIONS } from './model-relations';
import { readModel } from './read-model';

const IFC_PARAMS = z.object({
  ...sourceFileParams('The IFC file'),
  name: text('Name of the composite; else that of the file').optional(),
  strict: z.boolean().default(false).meta({ description: 'Imports nothing of a file that has a fault; else what could not be read is left out and stands in the log' }),
});

type IfcParams = z.output<typeof IFC_PARAMS>;

export const ifcImport = (reader: IfcReader): Component => defineComponent({
  id: '6f0e6f3a-3b1c-4d0e-9c53-0d4f4f8a7b02',
  name: 'ifc_import',
  description: 'Reads an IFC file into a composite of collections of its elements, their properties, their types and the spatial structure',
  params: IFC_PARAMS,
  run: (step, params) => importIfc(step, params, reader),
  undo: (step) => undoModel(step, { composite: COMPOSITE, collections: COLLECTIONS }),
});

async function importIfc(step: StepContext, params: IfcParams, reader: IfcReader): Promise<unknown> {
  const progress = new StepProgress(step);
  const source = await progress.once('source', () => findSourceFile(step, params));
  const model = await readModel(step, source, reader);
  try {
    await tellFaults(step, model, params.strict);
    return await write(step, progress, { source, model, name: params.name ?? source.name });
  } finally {
    await model.close();
  }
}

interface NamedModel {
  readonly source: SourceFile;
  readonly model: ModelOnDisk;
  readonly name: string;
}

async function write(step: StepContext, progress: StepProgress, { source, model, name }: NamedModel): Promise<unknown> {
  const { head } = model;
  const idOf = (key: string | number) => itemIdOf(source, key);
  const writer = new ModelWriter(step, progress, source);
  const { composite, collections, relations } = await writer.write({
    composite: { userType: COMPOSITE, name },
    collections: COLLECTIONS.map((userType) => ({ userType, title: titleOf(userType, name), count: countOf(userType, head), items: () => itemsOf(userType, model, idOf) })),
    relations: RELATIONS.map((relation) => ({ from: relation.from, to: relation.to, count: head.counts[relation.count], pairs: () => pairsOf(relation, model.rows('elements'), idOf) })),
    skipped: head.report.skipped,
  });
  const changes = await progress.once('changes', () => tellChanges(step, writer, model));
  const { elements, properties, types, containers } = head.counts;
  return {
    _fileId: source.fileId, _fileVersionId: source.fileVersionId, schema: head.schema, composite, collections,
    counts: { elements, properties, types, containers, relations, skipped: head.report.skipped }, ...(changes !== null && { changes }),
  };
}

async function tellFaults({ log }: StepContext, { head: { report } }: ModelOnDisk, strict: boolean): Promise<void> {
  if (strict && report.faults.length > 0) throw invalid(`The file has faults, and with "strict" nothing is imported. ${report.faults.map(wordsOf).join('. ')}`);
  for (const fault of report.faults) await log('warn', `Entities ${wordsOf(fault)}`);
}

/** `null`: there is nothing to compare with. */
async function tellChanges(step: StepContext, writer: ModelWriter, model: ModelOnDisk): Promise<ModelChanges | null> {
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
