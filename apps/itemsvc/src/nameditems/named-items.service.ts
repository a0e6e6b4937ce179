import { Injectable } from '@nestjs/common';
import { NO_CONTENT, type RequestContext } from '@twinyard/auth';
import { booleanParameter, notFound, type Page, parseObjectParameter, type QueryValues, toPage } from '@twinyard/conventions';
import type { DocumentTx, StoredDocument } from '@twinyard/documents';
import type { NewEvent } from '@twinyard/events';
import { readingsWritten } from '../relateditems/related-items.events';
import { touched } from '../storage/authorship';
import { parseListQuery } from '../storage/list-query';
import type { VersionCounters, VersionRecord } from '../versions/version';
import { VersionsRepository } from '../versions/versions.repository';
import { ItemAccess } from './item-access';
import { ItemCopies } from './item-copies';
import { ItemWrites } from './item-writes';
import { ITEM_TYPE, type ItemChange, type NamedItem, newItemTarget, targetOf } from './named-item';
import { parseItemChange } from './named-item.parse';
import { itemUpdated, versionUpdated } from './named-items.events';
import { NamedItemsRepository } from './named-items.repository';

@Injectable()
export class NamedItemsService {
  constructor(
    private readonly items: NamedItemsRepository,
    private readonly versions: VersionsRepository,
    private readonly copies: ItemCopies,
    private readonly access: ItemAccess,
    private readonly writes: ItemWrites,
  ) {}

  async list(ctx: RequestContext, query: QueryValues): Promise<Page<StoredDocument>> {
    const wanted = parseListQuery(ctx, query);
    return toPage(await this.items.list(ctx.access.scope('READ', ITEM_TYPE), wanted), wanted.paging, (row) => row);
  }

  async get(ctx: RequestContext, key: string, query: QueryValues): Promise<StoredDocument> {
    const projection = parseObjectParameter(query, 'project');
    const allVersions = booleanParameter(query, '_versions.all');
    const item = await this.access.item(ctx, key, 'READ');
    if (!allVersions && projection === undefined) return item;
    const view = { allVersions, ...(projection && { projection }) };
    const seen = await this.items.findView(ctx.access.scope('READ', ITEM_TYPE), item._id, view);
    if (seen === undefined) throw notFound('item', key);
    return seen;
  }

  async update(ctx: RequestContext, key: string, body: unknown): Promise<void> {
    const found = await this.access.item(ctx, key, 'EDIT');
    const change = parseItemChange(body, ctx.namespaces);
    const at = Date.now();
    await this.writes.run(ctx, found, async (tx, { item, versions }) => {
      const changed = this.apply(ctx, item, change, at);
      await this.items.replace(tx, changed, versions);
      await this.versions.replaceMany(tx, changed, versions);
      await this.copies.follow(tx, item, changed);
      const moved = [...item._namespaces].sort().join() !== [...changed._namespaces].sort().join();
      return { answer: undefined, events: [itemUpdated(changed, ctx.origin), ...(moved ? await this.versionEvents(tx, ctx, changed, versions) : [])] };
    }, () => NO_CONTENT);
  }

  /** Events of versions name their item's namespaces, so whoever counts by namespace hears of each. */
  private async versionEvents(tx: DocumentTx, ctx: RequestContext, item: NamedItem, versions: readonly VersionRecord[]): Promise<NewEvent[]> {
    const counted = await this.versions.noteMove(tx, item, versions.map(({ _id }) => _id));
    const events: NewEvent[] = [];
    for (const [index, version] of versions.entries()) {
      const counters = counted[index] as VersionCounters;
      const place = { item, versionId: version._id, version: version._version };
      events.push(versionUpdated(item, version, counters, ctx.origin));
      if (item._itemClass === 'NamedTelemetryCollection') events.push(readingsWritten(place, { verb: 'updated', changed: 0 }, counters, ctx.origin));
    }
    return events;
  }

  /** The item after the change, when the caller may make it: nobody moves an item to where it could not make or change it, nor takes it away from where it may not change it. */
  private apply(ctx: RequestContext, item: NamedItem, { name, description, namespaces, userType }: ItemChange, at: number): NamedItem {
    // What lies outside of nsfilter is not the request's business and stays.
    const kept = item._namespaces.filter((namespace) => !ctx.namespaces.includes(namespace));
    const added = namespaces.filter((namespace) => !item._namespaces.includes(namespace));
    const changed: NamedItem = {
      ...item, _name: name, _userType: userType, _namespaces: [...new Set([...namespaces, ...kept])],
      ...(description !== undefined && { _description: description }),
      _metadata: touched(item._metadata, ctx, at),
    };
    const lost = item._namespaces.filter((namespace) => !changed._namespaces.includes(namespace));
    ctx.access.requireInAll('CREATE', newItemTarget({ namespaces: added, itemClass: item._itemClass, userType }));
    ctx.access.requireInAll('EDIT', { ...targetOf(item), namespaces: lost });
    ctx.access.require('EDIT', targetOf(changed));
    return changed;
  }
}
