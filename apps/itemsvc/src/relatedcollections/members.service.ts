import { Injectable } from '@nestjs/common';
import { keepAnswer, keepingBody, NO_CONTENT, type RequestContext } from '@twinyard/auth';
import { type Action, invalidField, isObjectId, newObjectId, notFound, type Page, type QueryValues, textParameter, toPage } from '@twinyard/conventions';
import { type DocumentTx, DocumentStore, type StoredDocument } from '@twinyard/documents';
import { Outbox } from '@twinyard/events';
import type { JsonText } from '@twinyard/service-kit';
import { ItemAccess, type Place } from '../nameditems/item-access';
import { ITEM_TYPE, type NamedItem } from '../nameditems/named-item';
import { itemUpdated } from '../nameditems/named-items.events';
import { NamedItemsRepository } from '../nameditems/named-items.repository';
import { Issues } from '../storage/issues';
import { parseListQuery } from '../storage/list-query';
import { toWrittenPage } from '../storage/written-page';
import { VersionsRepository } from '../versions/versions.repository';
import { type Member, MEMBER_INTERNALS } from './member';
import { type MemberDraft, parseMembers } from './member.parse';
import { MembersRepository } from './members.repository';

/** Members of composites: each belongs to a version of the composite and pins a version of the member (contract 2.1). */
@Injectable()
export class MembersService {
  constructor(
    private readonly store: DocumentStore,
    private readonly access: ItemAccess,
    private readonly items: NamedItemsRepository,
    private readonly versions: VersionsRepository,
    private readonly members: MembersRepository,
    private readonly outbox: Outbox,
  ) {}

  async add(ctx: RequestContext, key: string, query: QueryValues, body: unknown): Promise<JsonText> {
    const place = await this.composite(ctx, key, textParameter(query, 'userItemVersionId'), 'EDIT');
    const wanted = await this.resolve(ctx, place, parseMembers(body));
    return keepingBody(ctx, 201, (made: readonly Member[]) => toWrittenPage(made, toRecord, this.store.answerBytes), (keep) => this.store.transaction(async (tx) => {
      const gone = await this.versions.lock(tx, [place.versionId, ...wanted.map(({ _userItemVersionId }) => _userItemVersionId)]);
      if (gone.includes(place.versionId)) throw notFound('version', place.versionId);
      if (gone.length > 0) throw invalidField('_userItemVersionId', `${gone[0]} does not exist any more`);
      const members = await this.pin(tx, place, wanted);
      await this.outbox.append(tx, itemUpdated(place.item, ctx.origin));
      await keep?.(tx, members);
      return members;
    }));
  }

  async list(ctx: RequestContext, key: string, query: QueryValues): Promise<Page<StoredDocument>> {
    const wanted = parseListQuery(ctx, query);
    const place = await this.composite(ctx, key, wanted.versionId, 'READ');
    return toPage(await this.members.list(ctx.access.scope('READ', ITEM_TYPE), place.versionId, wanted), wanted.paging, toRecord);
  }

  async remove(ctx: RequestContext, key: string, id: string, query: QueryValues): Promise<void> {
    const place = await this.composite(ctx, key, textParameter(query, 'userItemVersionId'), 'EDIT');
    await this.store.transaction(async (tx) => {
      if ((await this.members.remove(tx, place.versionId, id)) === 0) throw notFound('member', id);
      await this.outbox.append(tx, itemUpdated(place.item, ctx.origin));
      await keepAnswer(ctx, tx, () => NO_CONTENT);
    });
  }

  /** Posting a member again pins it anew; one record a member. */
  private async pin(tx: DocumentTx, place: Place, wanted: readonly Member[]): Promise<Member[]> {
    const there = new Map((await this.members.ofVersion(tx, place.versionId, wanted.map(({ _itemId }) => _itemId))).map((member) => [member._itemId, member._id]));
    const members = wanted.map((member) => ({ ...member, _id: there.get(member._itemId) ?? member._id }));
    await this.members.replaceMany(tx, members.filter(({ _itemId }) => there.has(_itemId)));
    await this.members.insertMany(tx, members.filter(({ _itemId }) => !there.has(_itemId)));
    return members;
  }

  /** Members must be readable; a composite is no member of itself. */
  private async resolve(ctx: RequestContext, place: Place, drafts: readonly MemberDraft[]): Promise<Member[]> {
    const found = await this.items.findByKeys([ctx.access.scope('READ', ITEM_TYPE)], [...new Set(drafts.map(({ key }) => key))]);
    const byKey = new Map(found.flatMap((item) => [[item._id, item], [item._userItemId, item]] as const));
    const issues = new Issues();
    const members = new Map<string, Member>();
    for (const draft of drafts) {
      const item = byKey.get(draft.key);
      const version = item && (await this.versionOf(item, draft.versionId));
      if (item === undefined || item._id === place.item._id) issues.add(draft.at, `there is no item ${JSON.stringify(draft.key)} to be a member`);
      else if (version === undefined) issues.add(`${draft.at}._userItemVersionId`, `there is no version ${JSON.stringify(draft.versionId)} of ${item._userItemId}`);
      else members.set(item._id, toMember(place, item, version));
    }
    issues.refuse();
    return [...members.values()];
  }

  private async versionOf(item: NamedItem, versionId: string | undefined): Promise<{ readonly id: string; readonly version: number } | undefined> {
    if (versionId === undefined || versionId === item._tipId) return { id: item._tipId, version: item._tipVersion };
    const version = isObjectId(versionId) ? await this.versions.find(item._id, versionId) : undefined;
    return version && { id: version._id, version: version._version };
  }

  private async composite(ctx: RequestContext, key: string, versionId: string | undefined, ...actions: readonly Action[]): Promise<Place> {
    const item = await this.access.item(ctx, key, ...actions);
    if (item._itemClass !== 'NamedCompositeItem') throw invalidField('id', `is a ${item._itemClass}, which has no members`);
    return this.access.versionOf(item, versionId || undefined);
  }
}

const toMember = (place: Place, item: NamedItem, pinned: { readonly id: string; readonly version: number }): Member => ({
  _id: newObjectId(),
  compositeId: place.item._id,
  compositeVersion: place.versionId,
  namespaces: item._namespaces,
  _itemId: item._id,
  _userItemId: item._userItemId,
  _userItemClass: item._itemClass,
  _userType: item._userType,
  _name: item._name,
  _userItemVersionId: pinned.id,
  _userItemVersion: pinned.version,
});

function toRecord(row: StoredDocument): StoredDocument {
  const record: Record<string, unknown> = { ...row };
  for (const field of MEMBER_INTERNALS) delete record[field];
  return record as StoredDocument;
}
