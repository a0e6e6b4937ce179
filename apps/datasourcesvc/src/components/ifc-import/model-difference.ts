import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { canonicalJson, type CanonicalValue, invalid } from '@twinyard/conventions';
import type { IfcKey } from '../../ifc/ifc-model';
import type { ModelOnDisk } from '../../ifc/on-disk/model-on-disk';
import { jsonLines } from '../../json-lines/json-lines';
import { FirstOf } from '../remarks/first-of';
import type { StepContext } from '../step-context';
import type { CollectionType } from './import-target';

/** What became of the things of one collection, told apart by their GlobalIds. */
export interface Changes {
  readonly added: Found;
  readonly changed: Found;
  readonly gone: Found;
}

interface Found {
  readonly count: number;
  /** The first GlobalIds. */
  readonly first: readonly string[];
}

export const COMPARED = ['rvt_elements', 'rvt_type_elements', 'ifc_spatial_structure'] as const satisfies readonly CollectionType[];
export type ModelChanges = Readonly<Record<(typeof COMPARED)[number], Changes>>;

/** Where the version before lies. */
export type Previous = Readonly<Record<CollectionType, { readonly itemId: string; readonly versionId: string }>>;

type Item = Readonly<Record<string, unknown>>;
type Ids = ReadonlyMap<IfcKey, string>;
/** By GlobalId; of several that have it, all. */
type Contents = Map<string, string>;

/** How many things are looked at before others have a turn. */
const SLICE = 500;
/** More than an item has (16 MB). */
const MOST_ITEM_BYTES = 32 * 1_048_576;

/** What is different from the model of the version before: entities have other numbers in each file, so all is told by GlobalIds. */
export async function changesOf(step: Pick<StepContext, 'platform' | 'signal'>, previous: Previous, model: ModelOnDisk): Promise<ModelChanges> {
  const [before, now] = [await contentsOfVersion(step, previous), await contentsOfModel(model)];
  return Object.fromEntries(COMPARED.map((userType) => [userType, compared(before[userType], now[userType])])) as ModelChanges;
}

/** A sentence for the log; `undefined` where nothing has changed. */
export function wordsOfChanges(userType: string, changes: Changes): string | undefined {
  const parts = (['added', 'changed', 'gone'] as const).filter((what) => changes[what].count > 0).map((what) => {
    const { count, first } = changes[what];
    return `${count} ${what} (${first.join(', ')}${count > first.length ? '…' : ''})`;
  });
  return parts.length === 0 ? undefined : `Since the version before, of ${userType}: ${parts.join('; ')}`;
}

function compared(before: Contents, now: Contents): Changes {
  const [added, changed, gone] = [new FirstOf<string>(), new FirstOf<string>(), new FirstOf<string>()];
  for (const [id, content] of now) {
    const old = before.get(id);
    if (old === undefined) added.add(id);
    else if (old !== content) changed.add(id);
  }
  for (const id of before.keys()) if (!now.has(id)) gone.add(id);
  return { added: foundIn(added), changed: foundIn(changed), gone: foundIn(gone) };
}

const foundIn = ({ count, first }: FirstOf<string>): Found => ({ count, first });

async function contentsOfModel(model: ModelOnDisk): Promise<Record<keyof ModelChanges, Contents>> {
  const [typeIds, containerIds] = [await idsOf(model.rows('types')), await idsOf(model.rows('containers'))];
  const [ofElements, ofTypes, ofContainers]: [Contents, Contents, Contents] = [new Map(), new Map(), new Map()];
  for await (const { sourceId, ifcClass, name, objectType, tag, typeKey, containerKey, properties } of slowly(model.elements())) {
    put(ofElements, sourceId, [ifcClass, name, objectType, tag, idIn(typeIds, typeKey), idIn(containerIds, containerKey), digestOf(properties)]);
  }
  for await (const { sourceId, ifcClass, name, tag, properties } of slowly(model.rows('types'))) put(ofTypes, sourceId, [ifcClass, name, tag, digestOf(properties)]);
  for await (const { sourceId, ifcClass, name, parentKey, longName, elevation, properties } of slowly(model.rows('containers'))) {
    put(ofContainers, sourceId, [ifcClass, name, idIn(containerIds, parentKey), longName, elevation, digestOf(properties)]);
  }
  return { rvt_elements: ofElements, rvt_type_elements: ofTypes, ifc_spatial_structure: ofContainers };
}

/** As the collections hold it: see model-items.ts. */
async function contentsOfVersion(step: Pick<StepContext, 'platform' | 'signal'>, previous: Previous): Promise<Record<keyof ModelChanges, Contents>> {
  const [ofElements, ofTypes, ofContainers]: [Contents, Contents, Contents] = [new Map(), new Map(), new Map()];
  const [typeIds, containerIds, digests] = [new Map<IfcKey, string>(), new Map<IfcKey, string>(), new Map<string, string>()];
  await each(step, previous.rvt_type_elements, ({ source_id: id, package_id: key, ifcClass, name, tag, properties }) => {
    typeIds.set(key as IfcKey, String(id));
    put(ofTypes, String(id), [ifcClass, name, tag, digestOf(properties)]);
  });
  // Parents come before children.
  await each(step, previous.ifc_spatial_structure, ({ source_id: id, package_id: key, ifcClass, name, parent_id: parent, longName, elevation, properties }) => {
    containerIds.set(key as IfcKey, String(id));
    put(ofContainers, String(id), [ifcClass, name, idIn(containerIds, parent as IfcKey | undefined), longName, elevation, digestOf(properties)]);
  });
  await each(step, previous.rvt_element_props, ({ _id: id, properties }) => void digests.set(String(id), digestOf(properties)));
  await each(step, previous.rvt_elements, ({ _id, source_id: id, ifcClass, name, objectType, tag, type_id: type, container_id: container }) => {
    put(ofElements, String(id), [ifcClass, name, objectType, tag, idIn(typeIds, type as IfcKey | undefined), idIn(containerIds, container as IfcKey | undefined), digests.get(String(_id)) ?? digestOf({})]);
  });
  return { rvt_elements: ofElements, rvt_type_elements: ofTypes, ifc_spatial_structure: ofContainers };
}

async function each({ platform, signal }: Pick<StepContext, 'platform' | 'signal'>, { itemId, versionId }: { readonly itemId: string; readonly versionId: string }, look: (item: Item) => void): Promise<void> {
  const items = await platform.items.exported(itemId, { format: 'ndjson', userItemVersionId: versionId }, signal);
  for await (const rows of jsonLines<Item>(items, MOST_ITEM_BYTES, tooLong)) for await (const row of slowly(rows)) look(row);
}

const tooLong = () => invalid('An item of the version before is too large to be compared');

async function* slowly<T>(all: Iterable<T> | AsyncIterable<T>): AsyncGenerator<T, void> {
  let looked = 0;
  for await (const one of all) {
    looked += 1;
    if (looked % SLICE === 0) await setImmediate();
    yield one;
  }
}

async function idsOf(things: AsyncIterable<{ readonly key: IfcKey; readonly sourceId: string }>): Promise<Ids> {
  const ids = new Map<IfcKey, string>();
  for await (const { key, sourceId } of things) ids.set(key, sourceId);
  return ids;
}

const idIn = (ids: Ids, key: IfcKey | undefined) => (key === undefined ? undefined : (ids.get(key) ?? ''));

function put(contents: Contents, id: string, parts: readonly unknown[]): void {
  const digest = digestOf(parts.map((part) => part ?? null));
  contents.set(id, (contents.get(id) ?? '') + digest);
}

/** The same for the same content, in whatever order its names stand. */
const digestOf = (content: unknown): string => createHash('sha256').update(canonicalJson((content ?? null) as CanonicalValue)).digest('base64').slice(0, 22);
