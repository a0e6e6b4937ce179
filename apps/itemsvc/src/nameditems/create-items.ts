import { Injectable } from '@nestjs/common';
import { keepAnswer, type RequestContext } from '@twinyard/auth';
import { isRefusal, newObjectId, newUserItemId } from '@twinyard/conventions';
import { DocumentStore } from '@twinyard/documents';
import { Outbox } from '@twinyard/events';
import type { JsonText } from '@twinyard/service-kit';
import { OWN_INDEX } from '../indexes/indexes.repository';
import { SchemaDefinitionsRepository } from '../schemadefinitions/schema-definitions.repository';
import { ScriptFaults } from '../scripts/script-faults';
import { newMetadata } from '../storage/authorship';
import { collectionName } from '../storage/collections';
import { toWrittenPage } from '../storage/written-page';
import { emptyCounters, toVersion } from '../versions/version';
import { VersionsRepository } from '../versions/versions.repository';
import { ITEM_CLASSES, ITEM_TYPE, type ItemDraft, itemIrn, itemUri, type NamedItem, newItemTarget } from './named-item';
import { namesItemTypes, parseItemDrafts } from './named-item.parse';
import { itemCreated, versionCreated } from './named-items.events';
import { NamedItemsRepository } from './named-items.repository';

/** Makes named items with their first version: all of a request or none. */
@Injectable()
export class CreateItems {
  constructor(
    private readonly store: DocumentStore,
    private readonly items: NamedItemsRepository,
    private readonly versions: VersionsRepository,
    private readonly schemas: SchemaDefinitionsRepository,
    private readonly outbox: Outbox,
    private readonly scripts: ScriptFaults,
  ) {}

  async run(ctx: RequestContext, body: unknown): Promise<JsonText> {
    const items = await this.itemsOf(ctx, body);
    const answer = await this.answerOf(ctx, items);
    if (items.length === 0) return answer;
    await this.makeCollections(items);
    await this.commit(ctx, items, answer).catch(async (error: unknown) => {
      // Where they are not refused they may be there, and their collections stay.
      if (isRefusal(error)) await this.dropCollections(items);
      throw error;
    });
    return answer;
  }

  private async answerOf(ctx: RequestContext, items: readonly NamedItem[]): Promise<JsonText> {
    const scripts = items.flatMap(({ _itemClass, _namespaces: namespaces, _versions: [version] }, index) =>
      (_itemClass === 'Script' && version?._userData !== undefined ? [{ field: `[${index}]._version._userData`, userData: version._userData, namespaces }] : []));
    const faults = await this.scripts.of(ctx, scripts);
    return toWrittenPage(items, (item) => item, this.items.answerBytes, { ...(faults.length > 0 && { _warnings: faults }) });
  }

  private async itemsOf(ctx: RequestContext, body: unknown): Promise<NamedItem[]> {
    const types = namesItemTypes(body) ? await this.schemas.typeNames(whereMakes(ctx)) : new Map();
    const drafts = parseItemDrafts(body, ctx.namespaces, types);
    if (drafts.length === 0) ctx.access.requireAnywhere('CREATE', ITEM_TYPE);
    for (const draft of drafts) ctx.access.requireInAll('CREATE', newItemTarget(draft));
    const at = Date.now();
    return drafts.map((draft) => toItem(ctx, draft, at));
  }

  /** Before the transaction, which cannot hold it: a collection that is not named by an item is out of everybody's reach. */
  private async makeCollections(items: readonly NamedItem[]): Promise<void> {
    try {
      for (const item of items.filter(holdsItems)) {
        const isTelemetry = item._itemClass === 'NamedTelemetryCollection';
        await this.store.createCollection(collectionName(item._id), isTelemetry ? { indexes: [{ key: { _sourceId: 1 }, options: { name: OWN_INDEX } }] } : {});
      }
    } catch (error) {
      await this.dropCollections(items);
      throw error;
    }
  }

  private async dropCollections(items: readonly NamedItem[]): Promise<void> {
    for (const { _id } of items.filter(holdsItems)) await this.store.dropCollection(collectionName(_id)).catch(() => undefined);
  }

  private commit(ctx: RequestContext, items: readonly NamedItem[], answer: JsonText): Promise<void> {
    const firsts = items.flatMap((item) => item._versions.map((version) => ({ item, version })));
    const origin = ctx.origin;
    const events = firsts.flatMap(({ item, version }) => [itemCreated(item, origin), versionCreated(item, version, emptyCounters(version), origin)]);
    return this.store.transaction(async (tx) => {
      await this.items.insertMany(tx, items);
      await this.versions.addLocks(tx, items.map(({ _id }) => _id));
      await this.versions.insertMany(tx, firsts);
      await this.outbox.append(tx, ...events);
      await keepAnswer(ctx, tx, () => ({ status: 201, body: answer }));
    });
  }
}

/** Namespaces in which the caller may make something: which types the others have is none of its business. */
const whereMakes = (ctx: RequestContext): string[] =>
  ctx.access.scope('CREATE', ITEM_TYPE).areas.filter(({ whole, criteria }) => whole || criteria.length > 0).map(({ namespace }) => namespace);

const holdsItems = ({ _itemClass }: NamedItem) => ITEM_CLASSES[_itemClass].holdsItems;

function toItem(ctx: RequestContext, draft: ItemDraft, at: number): NamedItem {
  const id = newObjectId(at);
  const metadata = newMetadata(ctx, at);
  const version = toVersion({ _id: newObjectId(at), _userItemDbId: id, _version: 1, _isTip: true, _metadata: metadata }, draft);
  return {
    _id: id,
    _userItemId: newUserItemId(draft.shortName),
    _uri: itemUri(id),
    _irn: itemIrn(id),
    _name: draft.name,
    _shortName: draft.shortName,
    ...(draft.description !== undefined && { _description: draft.description }),
    _userType: draft.userType,
    _itemClass: draft.itemClass,
    _kind: ITEM_CLASSES[draft.itemClass].kind,
    _namespaces: draft.namespaces,
    _tipId: version._id,
    _tipVersion: 1,
    _nextVersion: 2,
    _versionsCount: 1,
    _versions: [version],
    ...(draft.itemClass === 'NamedUserCollection' && { _encryptionEnabled: draft.encryptionEnabled ?? false }),
    ...(draft.tsProperties && { _tsProperties: draft.tsProperties }),
    ...(draft.itemTypes && { _itemTypes: draft.itemTypes }),
    _metadata: metadata,
  };
}
