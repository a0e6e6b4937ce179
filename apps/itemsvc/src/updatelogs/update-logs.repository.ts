import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import type { Slice } from '@twinyard/conventions';
import { type DocumentTx, DocumentStore, type JsonObject, type StoredDocument } from '@twinyard/documents';
import { readAnewWhenSealedAnew } from '@twinyard/envelope';
import { type EncryptedPlace, ItemEncryption } from '../encryption/item-encryption';
import { endKey } from '../relationships/relation';
import { UPDATE_LOGS } from '../storage/collections';
import { chunksOf, own } from '../storage/filters';
import { type ListQuery, slice } from '../storage/list-query';
import { readOwn } from '../storage/own-reads';
import { type StoredUpdate, toDeletions } from './update-log';

const NEWEST_FIRST = { _at: -1, _id: -1 } as const;
const BY_TIME = { sort: NEWEST_FIRST, behind: ({ _id, _at }: JsonObject) => ({ $or: [{ _at: { $lt: _at } }, { _at, _id: { $lt: _id } }] }) } as const;

/** What of a log is asked for, and by whom. */
export type LogPage = Pick<ListQuery, 'tenant' | 'paging'>;

/** Where in a log an entry stands. */
export type LogMoment = Pick<StoredUpdate, '_id' | '_at'>;

/** What a caller may see of the log of a related item. */
export interface SeenOfLog {
  readonly after: LogMoment | undefined;
  /** Of a caller who sees some items alone, by these paths. What an item was before one of them changed was not its to see. */
  readonly unmoved: readonly string[];
}

const behind = (moment: LogMoment | undefined): JsonObject =>
  moment === undefined ? {} : { $or: [{ _at: { $gt: moment._at } }, { _at: moment._at, _id: { $gt: moment._id } }] };

/** Reached through the record that an entry speaks of, which the caller's scope was asked for. */
@Injectable()
export class UpdateLogsRepository {
  constructor(
    private readonly store: DocumentStore,
    private readonly encryption: ItemEncryption,
  ) {}

  async add(tx: DocumentTx, updates: readonly StoredUpdate[]): Promise<void> {
    if (updates.length > 0) await this.store.insertLater(tx, UPDATE_LOGS, updates);
  }

  /** Of related items of one collection version. */
  async addOfRelatedItems(tx: DocumentTx, place: EncryptedPlace, updates: readonly StoredUpdate[]): Promise<void> {
    const sealed: StoredUpdate[] = [];
    for (const update of updates) sealed.push({ ...update, _changes: await this.encryption.sealChanges(tx, place, idOf(update), update._changes) });
    await this.add(tx, sealed);
  }

  /** Newest first; `after`: what is told begins behind it. */
  list(of: string, after: LogMoment | undefined, page: LogPage): Promise<Slice<StoredUpdate>> {
    return this.entries(of, 'UPDATE', page, behind(after));
  }

  /** The one entry of a related item that was deleted; none of one that never was. */
  listOfDeleted({ versionId }: EncryptedPlace, id: string, after: LogMoment | undefined, page: LogPage): Promise<Slice<StoredUpdate>> {
    return this.entries(endKey(versionId, id), 'DELETE', page, behind(after));
  }

  listOfRelatedItem(place: EncryptedPlace, id: string, seen: SeenOfLog, page: LogPage): Promise<Slice<StoredUpdate>> {
    return readAnewWhenSealedAnew(() => this.listOpened(place, id, seen, page));
  }

  /** The latest changes of one of these paths, newest first, with what they tell of these. */
  async changesOf(of: string, paths: readonly string[], limit: number): Promise<StoredUpdate[]> {
    const filter = own({ of, _action: 'UPDATE', '_changes._path': { $in: [...paths] } });
    const keep = (entry: StoredDocument) => ({ ...entry, _changes: (entry as StoredUpdate)._changes.filter(({ _path }) => paths.includes(_path)) });
    return (await readOwn(this.store, UPDATE_LOGS, { filter, order: BY_TIME, limit, keep })) as StoredUpdate[];
  }

  private async listOpened(place: EncryptedPlace, id: string, { after, unmoved }: SeenOfLog, page: LogPage): Promise<Slice<StoredUpdate>> {
    const of = endKey(place.versionId, id);
    const [moved] = unmoved.length === 0 ? [] : await this.changesOf(of, unmoved, 1);
    const found = await this.entries(of, 'UPDATE', page, { $and: [behind(after), behind(moved)] });
    const plain: StoredUpdate[] = [];
    for (const row of found.rows) plain.push({ ...row, _changes: await this.encryption.openChanges(place, id, row._changes) });
    return { ...found, rows: plain };
  }

  async removeOfItem(tx: DocumentTx, itemId: string): Promise<void> {
    await this.store.deleteMany(tx, UPDATE_LOGS, own({ of: itemId }));
  }

  async removeOfVersions(tx: DocumentTx, versionIds: readonly string[]): Promise<void> {
    for (const chunk of chunksOf(versionIds)) await this.store.deleteMany(tx, UPDATE_LOGS, own({ version: { $in: chunk } }));
  }

  /** What they held goes with them, and so do the values that their entries tell of; what stays is who deleted them, until the version itself goes. */
  async replaceByDeletions(tx: DocumentTx, ctx: RequestContext, versionId: string, ids: readonly string[]): Promise<void> {
    const ofs = ids.map((id) => endKey(versionId, id));
    for (const chunk of chunksOf(ofs)) await this.store.deleteMany(tx, UPDATE_LOGS, own({ of: { $in: chunk } }));
    await this.add(tx, toDeletions(ctx, versionId, ofs));
  }

  private async entries(of: string, action: StoredUpdate['_action'], page: LogPage, only: JsonObject): Promise<Slice<StoredUpdate>> {
    return (await slice(this.store, UPDATE_LOGS, own({ of, _action: action, ...only }), { ...page, sort: NEWEST_FIRST })) as Slice<StoredUpdate>;
  }
}

/** The related item that an entry tells of. */
export const idOf = ({ of }: Pick<StoredUpdate, 'of'>) => of.slice(of.indexOf(':') + 1);
