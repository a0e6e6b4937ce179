import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { type RequestContext, tenantOf } from '@twinyard/auth';
import { type MetadataRecord, notFound, type Page, type Paging, parsePaging, type QueryValues, type Slice, textParameter, toPage } from '@twinyard/conventions';
import { ItemAccess, type Place } from '../nameditems/item-access';
import { reachOf } from '../nameditems/item-reach';
import { ITEM_TYPE, type NamedItem, targetOf } from '../nameditems/named-item';
import { RelatedItemsRepository, spotOf } from '../relateditems/related-items.repository';
import { PAGE_BOUNDS } from '../storage/list-query';
import { pathsTo } from './paths-of-part';
import { lastOutOfReach, REACHED_BY } from './time-before-reach';
import type { StoredUpdate, UpdateLogEntry } from './update-log';
import { type LogMoment, type LogPage, UpdateLogsRepository } from './update-logs.repository';

/** Changes of type or namespaces that are looked at; nothing is told of the time before so many. */
const MAX_MOVES = 1_000;

/** Who changed what of a record, newest first; the last entry says who made it. Of a related item that is gone: who deleted it. */
@Injectable()
export class UpdateLogsService {
  constructor(
    private readonly access: ItemAccess,
    private readonly related: RelatedItemsRepository,
    private readonly logs: UpdateLogsRepository,
  ) {}

  async ofItem(ctx: RequestContext, key: string, query: QueryValues): Promise<Page<UpdateLogEntry>> {
    const item = await this.access.item(ctx, key, 'READ');
    const page = pageOf(ctx, query);
    const after = await this.outOfReach(item, (then) => ctx.access.holds('READ', targetOf(then)));
    return toLog(await this.logs.list(item._id, after, page), item, page.paging);
  }

  async ofRelatedItem(ctx: RequestContext, key: string, id: string, query: QueryValues): Promise<Page<UpdateLogEntry>> {
    const place = await this.access.placeFor(ctx, key, textParameter(query, 'userItemVersionId') || undefined, 'read');
    const page = pageOf(ctx, query);
    const item = await this.related.find(spotOf(place), id);
    const scopes = [ctx.access.scope('READ', ITEM_TYPE)];
    const after = await this.outOfReach(place.item, (then) => isDeepStrictEqual(reachOf(scopes, then), place.only ?? 'all'));
    if (item === undefined) return this.ofDeleted(place, id, after, page);
    const unmoved = place.only === undefined ? [] : pathsTo(place.only);
    return toLog(await this.logs.listOfRelatedItem(spotOf(place), id, { after, unmoved }, page), item, page.paging);
  }

  /** The latest change of the item before which the caller's grants did not reach it as they do now. */
  private async outOfReach(item: NamedItem, isReached: (then: NamedItem) => boolean): Promise<LogMoment | undefined> {
    const moves = await this.logs.changesOf(item._id, REACHED_BY, MAX_MOVES);
    return lastOutOfReach(item, moves, isReached) ?? (moves.length === MAX_MOVES ? moves.at(-1) : undefined);
  }

  /** For those who may READ the whole collection: nobody can tell any more in whose part of it a deleted item lay. */
  private async ofDeleted(place: Place, id: string, after: LogMoment | undefined, page: LogPage): Promise<Page<UpdateLogEntry>> {
    const deletion = place.only === undefined ? await this.logs.listOfDeleted(spotOf(place), id, after, page) : undefined;
    if (deletion === undefined || deletion.total === 0) throw notFound('related item', id);
    return toPage(deletion, page.paging, toEntry);
  }
}

/** The entry of the creation, which is not kept, stands behind all others. */
function toLog({ rows, total, ...cut }: Slice<StoredUpdate>, record: Made, paging: Paging): Page<UpdateLogEntry> {
  const reachesEnd = paging.pageSize > rows.length && paging.offset + rows.length === total;
  const entries = [...rows.map(toEntry), ...(reachesEnd ? [creationOf(record)] : [])];
  return toPage({ rows: entries, total: total + 1, ...cut }, paging, (entry) => entry);
}

const pageOf = (ctx: RequestContext, query: QueryValues): LogPage => ({ tenant: tenantOf(ctx), paging: parsePaging(query, PAGE_BOUNDS) });

interface Made {
  readonly _id: string;
  readonly _metadata: MetadataRecord;
}

const toEntry = ({ of: _of, version: _version, ...entry }: StoredUpdate): UpdateLogEntry => entry;

function creationOf({ _id, _metadata: { _createdAt, _createdById, _createdByName } }: Made): UpdateLogEntry {
  return { _id, _action: 'CREATE', _at: _createdAt, _byId: _createdById, ...(_createdByName !== undefined && { _byName: _createdByName }), _changes: [] };
}
