import { invalid } from '@twinyard/conventions';
import { z } from 'zod';
import { wordsOf } from '../../ifc/ifc-faults';
import type { IfcKey, IfcModel } from '../../ifc/ifc-model';
import { type Component, defineComponent } from '../component';
import { text } from '../component-params';
import { findSourceFile, type SourceFile, sourceFileParams } from '../source-file';
import type { StepContext } from '../step-context';
import { StepProgress } from '../step-progress';
import { COLLECTIONS, COMPOSITE, type CollectionType, itemIdOf, titleOf } from './import-target';
import { ImportVersions, type MadeVersion } from './import-versions';
import { jsonChunks } from './json-chunks';
import { countOf, itemsOf } from './model-items';
import { type ModelRelation, RELATIONS } from './model-relations';

export type ReadIfc = (bytes: Uint8Array, options: { readonly signal: AbortSignal }) => Promise<IfcModel>;

type MadeCollections = Readonly<Record<CollectionType, MadeVersion>>;

const MAX_FILE_BYTES = 256 * 1_048_576;
/** Up to so many pairs are answered at once. */
const MAX_PAIRS = 1_000;

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
  run: (step, params) => new IfcImport(step, params, readIfc).run(),
});

/** The composite comes last: who finds it finds all of the model. Every part may be done again without being there twice. */
class IfcImport {
  private readonly progress: StepProgress;
  /** Items of the collections that are written. */
  private done = 0;

  constructor(private readonly step: StepContext, private readonly params: z.output<typeof IFC_PARAMS>, private readonly readIfc: ReadIfc) {
    this.progress = new StepProgress(step);
  }

  async run(): Promise<unknown> {
    const source = await this.progress.once('source', () => findSourceFile(this.step, this.params));
    const name = this.params.name ?? source.name;
    const model = await this.read(source, this.params.strict);
    const versions = new ImportVersions(this.step, source);
    const collections = await this.makeCollections(versions, name);
    for (const userType of COLLECTIONS) this.done += await this.progress.once(`items ${userType}`, () => this.writeItems(collections[userType], userType, model, source));
    const relations = await this.progress.once('relations', () => this.writeRelations(collections, model, source));
    const composite = await this.progress.once(`version ${COMPOSITE}`, () =>
      versions.make({ userType: COMPOSITE, itemClass: 'NamedCompositeItem', name }));
    await this.step.platform.items.putMembers(composite.itemId, composite.versionId, COLLECTIONS.map((userType) => ({
      _userItemId: collections[userType].userItemId, _userItemVersionId: collections[userType].versionId,
    })));
    return summaryOf({ source, model, composite, collections, relations });
  }

  private async read(source: SourceFile, strict: boolean): Promise<IfcModel> {
    const { platform, signal, log } = this.step;
    const bytes = await platform.files.download(source.fileId, source.fileVersionId, MAX_FILE_BYTES);
    const model = await this.readIfc(bytes, { signal });
    await log('info', `Read ${source.name} (${model.schema}): ${model.elements.length} elements, ${model.types.length} types, ${model.containers.length} containers, from ${model.report.entities} entities`);
    if (strict && model.report.faults.length > 0) throw invalid(`The file has faults, and with "strict" nothing is imported. ${model.report.faults.map(wordsOf).join('. ')}`);
    for (const fault of model.report.faults) await log('warn', `Entities ${wordsOf(fault)}`);
    return model;
  }

  private async makeCollections(versions: ImportVersions, model: string): Promise<MadeCollections> {
    const made: [CollectionType, MadeVersion][] = [];
    for (const userType of COLLECTIONS) {
      const wanted = { userType, itemClass: 'NamedUserCollection' as const, name: titleOf(userType, model) };
      made.push([userType, await this.progress.once(`version ${userType}`, () => versions.make(wanted))]);
    }
    return Object.fromEntries(made) as MadeCollections;
  }

  private async writeItems({ itemId, versionId }: MadeVersion, userType: CollectionType, model: IfcModel, source: SourceFile): Promise<number> {
    let written = 0;
    for (const { json, count } of jsonChunks(itemsOf(userType, model, (key) => itemIdOf(source, key)))) {
      await this.step.platform.items.createRelatedItems(itemId, versionId, json);
      written += count;
      await this.step.report({ _done: this.done + written, _total: totalOf(model), skipped: model.report.skipped });
    }
    await this.step.log('info', `Wrote ${written} items to ${userType}`);
    return written;
  }

  private async writeRelations(collections: MadeCollections, model: IfcModel, source: SourceFile): Promise<number> {
    let written = 0;
    for (const relation of RELATIONS) written += await this.writeRelation(relation, collections, model, source);
    await this.step.log('info', `Wrote ${written} relations`);
    return written;
  }

  private async writeRelation({ from, to, pairs }: ModelRelation, collections: MadeCollections, model: IfcModel, source: SourceFile): Promise<number> {
    const all = [...pairs(model)];
    const target = { _relatedUserItemId: collections[to].userItemId, _relatedUserItemVersionId: collections[to].versionId };
    for (let start = 0; start < all.length; start += MAX_PAIRS) {
      const targets = new Map<IfcKey, string[]>();
      for (const [one, other] of all.slice(start, start + MAX_PAIRS)) targets.set(one, [...(targets.get(one) ?? []), itemIdOf(source, other)]);
      const records = [...targets].map(([key, ids]) => ({ _relatedFromId: itemIdOf(source, key), _relatedToIds: ids, ...target }));
      await this.step.platform.items.putRelations(collections[from].itemId, collections[from].versionId, records);
    }
    return all.length;
  }
}

interface Imported {
  readonly source: SourceFile;
  readonly model: IfcModel;
  readonly composite: MadeVersion;
  readonly collections: MadeCollections;
  readonly relations: number;
}

const totalOf = (model: IfcModel) => COLLECTIONS.reduce((sum, userType) => sum + countOf(userType, model), 0);

const idsOf = ({ itemId, userItemId, versionId, version }: MadeVersion) => ({
  _id: itemId, _userItemId: userItemId, _userItemVersionId: versionId, _version: version,
});

const summaryOf = ({ source, model, composite, collections, relations }: Imported) => ({
  _fileId: source.fileId,
  _fileVersionId: source.fileVersionId,
  schema: model.schema,
  composite: idsOf(composite),
  collections: Object.fromEntries(COLLECTIONS.map((userType) => [userType, { ...idsOf(collections[userType]), count: countOf(userType, model) }])),
  counts: {
    elements: model.elements.length,
    properties: model.elements.reduce((sum, { properties }) => sum + Object.keys(properties).length, 0),
    types: model.types.length,
    containers: model.containers.length,
    relations,
    skipped: model.report.skipped,
  },
});
