import { Injectable } from '@nestjs/common';
import { NO_CONTENT, type RequestContext } from '@twinyard/auth';
import { type FieldIssue, invalidField, isObjectId, newObjectId, notFound, type Page, type QueryValues, toPage } from '@twinyard/conventions';
import type { StoredDocument } from '@twinyard/documents';
import { ItemAccess } from '../nameditems/item-access';
import { ItemWrites } from '../nameditems/item-writes';
import { ITEM_CLASSES, type NamedItem, targetOf } from '../nameditems/named-item';
import { versionCreated, versionDeleted, versionUpdated } from '../nameditems/named-items.events';
import { NamedItemsRepository } from '../nameditems/named-items.repository';
import { ScriptFaults } from '../scripts/script-faults';
import { newMetadata, touched } from '../storage/authorship';
import { parseListQuery } from '../storage/list-query';
import { emptyCounters, ownBytesOf, toVersion, type VersionContent, type VersionRecord } from './version';
import { VersionContents } from './version-contents';
import { parseVersionContent } from './version.parse';
import { VersionsRepository } from './versions.repository';

@Injectable()
export class VersionsService {
  constructor(
    private readonly items: NamedItemsRepository,
    private readonly versions: VersionsRepository,
    private readonly contents: VersionContents,
    private readonly access: ItemAccess,
    private readonly writes: ItemWrites,
    private readonly scripts: ScriptFaults,
  ) {}

  async list(ctx: RequestContext, key: string, query: QueryValues): Promise<Page<StoredDocument>> {
    const wanted = parseListQuery(ctx, query);
    const item = await this.access.item(ctx, key, 'READ');
    const { versionId, ...rest } = wanted;
    const narrowed = versionId === undefined ? rest : { ...rest, filter: rest.filter ? { $and: [rest.filter, { _id: versionId }] } : { _id: versionId } };
    return toPage(await this.versions.list(item._id, narrowed), wanted.paging, (row) => row);
  }

  async get(ctx: RequestContext, key: string, id: string): Promise<VersionRecord> {
    const item = await this.access.item(ctx, key, 'READ');
    return this.find(item, id);
  }

  /** A new tip. A collection's starts empty; the content is what was sent, nothing is taken over. */
  async create(ctx: RequestContext, key: string, body: unknown): Promise<WrittenVersion> {
    const found = await this.access.item(ctx, key, 'EDIT');
    const content = parseVersionContent(body);
    const toAnswer = await this.answerWith(ctx, found, content);
    const at = Date.now();
    const id = newObjectId(at);
    const version = await this.writes.run(ctx, found, async (tx, { item, versions }) => {
      requireUserData(item, content);
      const version = toVersion({ _id: id, _userItemDbId: item._id, _version: item._nextVersion, _isTip: true, _metadata: newMetadata(ctx, at) }, content);
      const before = versions.map((old) => (old._isTip ? { ...old, _isTip: false } : old));
      const changed = withTip({ ...item, _nextVersion: item._nextVersion + 1, _metadata: touched(item._metadata, ctx, at) }, [...before, version]);
      await this.versions.replaceMany(tx, changed, before.filter((_, index) => versions[index]?._isTip));
      await this.versions.insertMany(tx, [{ item: changed, version }]);
      await this.items.replace(tx, changed, [...before, version]);
      return { answer: version, events: [versionCreated(changed, version, emptyCounters(version), ctx.origin)] };
    }, (made) => ({ status: 201, body: toAnswer(made) }));
    return toAnswer(version);
  }

  async update(ctx: RequestContext, key: string, id: string, body: unknown): Promise<WrittenVersion> {
    const found = await this.access.item(ctx, key, 'EDIT');
    const content = parseVersionContent(body);
    await this.find(found, id);
    requireUserData(found, content);
    const toAnswer = await this.answerWith(ctx, found, content);
    const at = Date.now();
    const changed = await this.writes.run(ctx, found, async (tx, { item, versions }) => {
      if ((await this.versions.lock(tx, [id])).length > 0) throw notFound('version', id);
      const old = versions.find((version) => version._id === id) as VersionRecord;
      const version: VersionRecord = {
        ...old,
        ...(content.userAttributes !== undefined && { _userAttributes: content.userAttributes }),
        ...(content.userData !== undefined && { _userData: content.userData }),
        _metadata: touched(old._metadata, ctx, at),
      };
      const counters = { ...(await this.versions.counters(tx, id)), ownBytes: ownBytesOf(version) };
      const all = versions.map((other) => (other._id === id ? version : other));
      const changed = withTip(item, all);
      await this.versions.putCounters(tx, counters);
      await this.versions.replaceMany(tx, changed, [version]);
      await this.items.replace(tx, changed, all);
      const answer = ctx.access.holds('READ', targetOf(item)) ? version : toVersion(withoutContent(version), content);
      return { answer, events: [versionUpdated(changed, version, counters, ctx.origin)] };
    }, (version) => ({ status: 201, body: toAnswer(version) }));
    return toAnswer(changed);
  }

  async remove(ctx: RequestContext, key: string, id: string): Promise<void> {
    const found = await this.access.item(ctx, key, 'DELETE');
    await this.find(found, id);
    const at = Date.now();
    await this.writes.run(ctx, found, async (tx, { item, versions }) => {
      const gone = versions.find((version) => version._id === id);
      if (gone === undefined) throw notFound('version', id);
      if (versions.length === 1) throw invalidField('versionId', 'is the only version of the item, and cannot be deleted; delete the item instead');
      await this.versions.lock(tx, [id]);
      await this.contents.remove(tx, item, id);
      const origin = ctx.origin;
      const rest = versions.filter((version) => version._id !== id);
      const all = gone._isTip ? rest.map((version, index) => (index === rest.length - 1 ? { ...version, _isTip: true } : version)) : rest;
      const changed = withTip({ ...item, _metadata: touched(item._metadata, ctx, at) }, all);
      await this.items.replace(tx, changed, all);
      const events = [versionDeleted(changed, gone, origin)];
      const tip = all[all.length - 1] as VersionRecord;
      if (gone._isTip) {
        await this.versions.replaceMany(tx, changed, [tip]);
        events.push(versionUpdated(changed, tip, await this.versions.counters(tx, tip._id), origin));
      }
      return { answer: undefined, events };
    }, () => NO_CONTENT);
    this.contents.sweep();
  }

  /** What a written version is answered with: of a script that cannot be run it says so. */
  private async answerWith(ctx: RequestContext, { _itemClass, _namespaces: namespaces }: NamedItem, { userData }: VersionContent): Promise<(version: VersionRecord) => WrittenVersion> {
    const faults = _itemClass === 'Script' && userData !== undefined ? await this.scripts.of(ctx, [{ field: '_userData', userData, namespaces }]) : [];
    return (version) => (faults.length === 0 ? version : { ...version, _warnings: faults });
  }

  private async find(item: NamedItem, id: string): Promise<VersionRecord> {
    const version = isObjectId(id) ? await this.versions.find(item._id, id) : undefined;
    if (version === undefined) throw notFound('version', id);
    return version;
  }
}

type WrittenVersion = VersionRecord & { readonly _warnings?: readonly FieldIssue[] };

/** The highest version is the tip: `_nextVersion` only grows, so it is the newest. */
function withTip(item: NamedItem, versions: readonly VersionRecord[]): NamedItem {
  const tip = versions[versions.length - 1] as VersionRecord;
  return { ...item, _versions: [tip], _tipId: tip._id, _tipVersion: tip._version, _versionsCount: versions.length };
}

/** Who may not READ the item hears of the version what it has said of it. */
const withoutContent = ({ _userAttributes: _a, _userData: _d, ...base }: VersionRecord) => base;

/** A version of these classes may come without content (specification, versions), but not with `null` for one. */
function requireUserData({ _itemClass }: NamedItem, { userData }: VersionContent): void {
  if (ITEM_CLASSES[_itemClass].needsUserData && userData === null) throw invalidField('_userData', `cannot be null for ${_itemClass}`);
}
