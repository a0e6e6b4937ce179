import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import { withoutDotted } from '../encryption/dotted-names';
import { HOLDING_ITEMS, ITEM_TYPE, type NamedItem } from '../nameditems/named-item';
import { NamedItemsRepository } from '../nameditems/named-items.repository';
import { ReadingsRepository } from '../readings/readings.repository';
import { RelatedItemsRepository, type Spot, wholeSpotOf } from '../relateditems/related-items.repository';
import { type Direction, RelationsRepository } from '../relationships/relations.repository';
import type { ItemType, Properties, ReadingType, RelationshipType, SchemaTypes } from './schema-definition';
import { ObjectProfile } from './value-profile';

const MAX_COLLECTIONS = 5_000;
const BATCH = 1_000;
/** The latest of each series: how readings look now. */
const READINGS = 1_000;
/** What the service adds to every item. */
const SERVICE_FIELDS = new Set(['_id', '_guid', '_uri', '_metadata']);
const READING_FIELDS = new Set(['_ts', '_tsMetadata', '_id']);
const READING_PROPERTIES: Properties = {
  _ts: { _type: 'isodate' },
  _tsMetadata: { _type: 'object', _properties: { _telItemId: { _type: 'string' }, _sourceId: { _type: 'string' } } },
};

/** A collection with the names of the types of its items. */
export type CollectionEntry = Omit<NamedItem, '_versions'> & { readonly _itemTypes: readonly string[] };

interface TypedCollection {
  readonly item: NamedItem;
  readonly typeName: string;
}

/** A draft of a schema definition from what is there (contract 2.8): a type for each collection that the caller may READ, from all of its items. */
@Injectable()
export class GenerateSchema {
  constructor(
    private readonly items: NamedItemsRepository,
    private readonly relatedItems: RelatedItemsRepository,
    private readonly readings: ReadingsRepository,
    private readonly relations: RelationsRepository,
  ) {}

  async run(ctx: RequestContext, namespace: string): Promise<SchemaTypes & { readonly _collections: readonly CollectionEntry[] }> {
    const collections = nameTypes(await this.collections(ctx, namespace));
    const byId = new Map(collections.map((collection) => [collection.item._id, collection]));
    const itemTypes: ItemType[] = [];
    const readingTypes: ReadingType[] = [];
    for (const { item, typeName } of collections) {
      const profile = await this.profileOf(item);
      const readingType = await this.readingTypeOf(item, typeName);
      itemTypes.push({
        _typeName: typeName, _type: 'object', _properties: profile.toSchema()._properties ?? {}, _description: `${item._name}: ${profile.count} items`,
        _relationshipTypes: [...(await this.relationshipsOf(item, 'outgoing', byId)), ...(await this.relationshipsOf(item, 'inverse', byId))],
        _readingTypes: readingType === undefined ? [] : [readingType._typeName],
      });
      if (readingType !== undefined) readingTypes.push(readingType);
    }
    return { _itemTypes: itemTypes, _readingTypes: readingTypes, _collections: collections.map(({ item, typeName }) => toEntry(item, [typeName])) };
  }

  /** Those of the namespace that hold items, in the order of their ids, which is that of their creation. */
  collections(ctx: RequestContext, namespace: string): Promise<NamedItem[]> {
    return this.items.findWhere([ctx.access.scope('READ', ITEM_TYPE)], { _namespaces: namespace, _itemClass: { $in: HOLDING_ITEMS } }, MAX_COLLECTIONS);
  }

  /** All items of the tip, a batch at a time, so that memory does not grow with them. */
  private async profileOf(item: NamedItem): Promise<ObjectProfile> {
    const profile = new ObjectProfile();
    for (let after: string | undefined, more = true; more;) {
      const batch = await this.relatedItems.batchAfter(spotOf(item), after, BATCH);
      for (const row of batch) profile.add(item._encryptionEnabled === true ? withoutDotted(row) : row, SERVICE_FIELDS);
      after = batch.at(-1)?._id;
      more = batch.length > 0;
    }
    return profile;
  }

  private async readingTypeOf(item: NamedItem, typeName: string): Promise<ReadingType | undefined> {
    if (item._itemClass !== 'NamedTelemetryCollection') return undefined;
    const profile = new ObjectProfile();
    for (const reading of await this.readings.latest(spotOf(item), READINGS)) profile.add(reading, READING_FIELDS);
    return { _typeName: `${typeName} reading`, _type: 'object', _properties: { ...READING_PROPERTIES, ...profile.toSchema()._properties } };
  }

  private async relationshipsOf(item: NamedItem, direction: Direction, byId: ReadonlyMap<string, TypedCollection>): Promise<RelationshipType[]> {
    const others = await this.relations.otherItems({ direction, versionId: item._tipId });
    return others.flatMap((id): RelationshipType[] => {
      const other = byId.get(id);
      if (other === undefined) return [];
      const { _userType, _userItemId } = other.item;
      return [{ _isInverse: direction === 'inverse', _userType, _ref: { _relatedTypeName: other.typeName, _relatedUserType: _userType, _relatedUserItemId: _userItemId } }];
    });
  }
}

const spotOf = (item: NamedItem): Spot => wholeSpotOf({ item, versionId: item._tipId });

/** Of the 255 that a definition takes; a number, and what makes it the name of a reading type, are put behind it. */
const MOST_CHARACTERS = 240;

/** Each type has the name of its collection; the second of a name is told from the first by a number. */
function nameTypes(items: readonly NamedItem[]): TypedCollection[] {
  const taken = new Set<string>();
  return items.map((item) => {
    const name = [...item._name].slice(0, MOST_CHARACTERS).join('');
    let typeName = name;
    for (let number = 2; taken.has(typeName); number += 1) typeName = `${name} ${number}`;
    taken.add(typeName);
    return { item, typeName };
  });
}

export function toEntry({ _versions: _, ...item }: NamedItem, itemTypes: readonly string[]): CollectionEntry {
  return { ...item, _itemTypes: itemTypes };
}
