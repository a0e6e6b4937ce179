import type { SourceFile } from '../source-file';
import type { StepContext } from '../step-context';
import type { StepProgress } from '../step-progress';
import { ImportVersions, type MadeVersion } from './import-versions';
import { jsonChunks } from './json-chunks';

/** Up to so many pairs are answered at once. */
const MAX_PAIRS = 1_000;

/** From memory or from disk. */
type OneByOne<T> = Iterable<T> | AsyncIterable<T>;

/** A collection of a model. */
export interface ModelCollection {
  readonly userType: string;
  readonly title: string;
  readonly count: number;
  /** Each with an `_id` that is always the same for a file version, so that a bulk that is sent again counts as made (contract 2.3). */
  items(): OneByOne<{ readonly _id: string }>;
}

/** From items of one collection to items of another: pairs of their ids. Two collections have one at most. */
export interface CollectionRelation {
  readonly from: string;
  readonly to: string;
  readonly count: number;
  pairs(): OneByOne<readonly [from: string, to: string]>;
}

/** A composite and what is in it. */
export interface ModelParts {
  readonly composite: { readonly userType: string; readonly name: string };
  readonly collections: readonly ModelCollection[];
  readonly relations: readonly CollectionRelation[];
  /** What was left out of the file. */
  readonly skipped: number;
}

const idsOf = ({ itemId, userItemId, versionId, version }: MadeVersion) => ({
  _id: itemId, _userItemId: userItemId, _userItemVersionId: versionId, _version: version,
});

/** Of the result of a step. */
export interface WrittenModel {
  readonly composite: ReturnType<typeof idsOf>;
  readonly collections: Readonly<Record<string, ReturnType<typeof idsOf> & { readonly count: number }>>;
  readonly relations: number;
}

/** Writes what was read of a model. The composite comes last: who finds it finds all of the model. Every part may be done again without being there twice. */
export class ModelWriter {
  private readonly versions: ImportVersions;
  private readonly made = new Map<string, MadeVersion>();
  /** Items and relations that are written. */
  private done = 0;
  /** Of the whole model, for the progress. */
  private figures = { _total: 0, skipped: 0 };

  constructor(private readonly step: StepContext, private readonly progress: StepProgress, source: SourceFile) {
    this.versions = new ImportVersions(step, source);
  }

  async write(parts: ModelParts): Promise<WrittenModel> {
    const { composite: { userType, name }, collections, relations: all, skipped } = parts;
    this.figures = { _total: [...collections, ...all].reduce((sum, { count }) => sum + count, 0), skipped };
    for (const { userType: type, title } of collections) {
      this.made.set(type, await this.progress.once(`version ${type}`, () => this.versions.make({ userType: type, itemClass: 'NamedUserCollection', name: title })));
    }
    for (const collection of collections) this.done += await this.progress.once(`items ${collection.userType}`, () => this.writeItems(collection));
    const relations = await this.writeRelations(all);
    const composite = await this.progress.once(`version ${userType}`, () => this.versions.make({ userType, itemClass: 'NamedCompositeItem', name }));
    const members = [...this.made.values()].map(({ userItemId, versionId }) => ({ _userItemId: userItemId, _userItemVersionId: versionId }));
    await this.step.platform.items.putMembers(composite.itemId, composite.versionId, members);
    return { composite: idsOf(composite), collections: Object.fromEntries(collections.map(({ userType: type, count }) => [type, { ...idsOf(this.madeOf(type)), count }])), relations };
  }

  /** The version that this import takes the place of. */
  previousOf(userType: string): { readonly itemId: string; readonly versionId: string } | undefined {
    const { itemId, previousId } = this.madeOf(userType);
    return previousId === undefined ? undefined : { itemId, versionId: previousId };
  }

  private madeOf(userType: string): MadeVersion {
    return this.made.get(userType) as MadeVersion;
  }

  private async writeItems(collection: ModelCollection): Promise<number> {
    const { itemId, versionId } = this.madeOf(collection.userType);
    let written = 0;
    for await (const { json, count } of jsonChunks(collection.items())) {
      await this.step.platform.items.createRelatedItems(itemId, versionId, json);
      written += count;
      await this.tell(written);
    }
    await this.step.log('info', `Wrote ${written} items to ${collection.userType}`);
    return written;
  }

  private async writeRelations(relations: readonly CollectionRelation[]): Promise<number> {
    const items = this.done;
    for (const relation of relations) this.done += await this.progress.once(`relations ${relation.from} ${relation.to}`, () => this.writeRelation(relation));
    const written = this.done - items;
    await this.step.log('info', `Wrote ${written} relations`);
    return written;
  }

  private async writeRelation({ from, to, pairs }: CollectionRelation): Promise<number> {
    const [source, { userItemId, versionId }] = [this.madeOf(from), this.madeOf(to)];
    const target = { _relatedUserItemId: userItemId, _relatedUserItemVersionId: versionId };
    let written = 0;
    for await (const some of portions(pairs(), MAX_PAIRS)) {
      const targets = new Map<string, string[]>();
      for (const [one, other] of some) targets.set(one, [...(targets.get(one) ?? []), other]);
      const records = [...targets].map(([id, ids]) => ({ _relatedFromId: id, _relatedToIds: ids, ...target }));
      await this.step.platform.items.putRelations(source.itemId, source.versionId, records);
      written += some.length;
      await this.tell(written);
    }
    return written;
  }

  /** `written`: of the part that is under way. */
  private tell(written: number): Promise<void> {
    return this.step.report({ _done: this.done + written, ...this.figures });
  }
}

/** Of all there are some are held at a time. */
async function* portions<T>(all: OneByOne<T>, most: number): AsyncGenerator<readonly T[]> {
  let some: T[] = [];
  for await (const one of all) {
    some.push(one);
    if (some.length < most) continue;
    yield some;
    some = [];
  }
  if (some.length > 0) yield some;
}
