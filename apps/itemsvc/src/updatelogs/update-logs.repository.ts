import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import type { Paging, Slice } from '@twinyard/conventions';
import { type DocumentTx, DocumentStore, type JsonObject } from '@twinyard/documents';
import { readAnewWhenSealedAnew } from '@twinyard/envelope';
import { type EncryptedPlace, ItemEncryption } from '../encryption/item-encryption';
import { endKey } from '../relationships/relation';
import { UPDATE_LOGS } from '../storage/collections';
import { chunksOf, own } from '../storage/filters';
import { slice } from '../storage/list-query';
import { type StoredUpdate, toDeletions } from './update-log';

const NEWEST_FIRST = { _at: -1, _id: -1 } as const;

/** Reached through the record that an entry speaks of, which the caller's scope was asked for. */
@Injectable()
export class UpdateLogsRepository {
  constructor(
    private readonly store: DocumentStore,
    private readonly encryption: ItemEncryption,
  ) {}

  async add(tx: DocumentTx, updates: readonly StoredUpdate[]): Promise<void> {
    if (updates.length > 0) await this.store.insertMany(tx, UPDATE_LOGS, updates);
  }

  /** Of related items of one collection version. */
  async addOfRelatedItems(tx: DocumentTx, place: EncryptedPlace, updates: readonly StoredUpdate[]): Promise<void> {
    const sealed: StoredUpdate[] = [];
    for (const update of updates) sealed.push({ ...update, _changes: await this.encryption.sealChanges(tx, place, idOf(update), update._changes) });
    await this.add(tx, sealed);
  }

  /** Newest first. */
  list(of: string, paging: Paging): Promise<Slice<StoredUpdate>> {
    return this.entries(of, 'UPDATE', paging);
  }

  /** The one entry of a related item that was deleted; none of one that never was. */
  listOfDeleted({ versionId }: EncryptedPlace, id: string, paging: Paging): Promise<Slice<StoredUpdate>> {
    return this.entries(endKey(versionId, id), 'DELETE', paging);
  }

  /** `unmoved`: of a caller who sees some items alone, by these paths. What an item was before one of them changed was not its to see. */
  listOfRelatedItem(place: EncryptedPlace, id: string, unmoved: readonly string[], paging: Paging): Promise<Slice<StoredUpdate>> {
    return readAnewWhenSealedAnew(() => this.listOpened(place, id, unmoved, paging));
  }

  private async listOpened(place: EncryptedPlace, id: string, unmoved: readonly string[], paging: Paging): Promise<Slice<StoredUpdate>> {
    const of = endKey(place.versionId, id);
    const { rows, total } = await this.entries(of, 'UPDATE', paging, unmoved.length === 0 ? {} : await this.behindMoves(of, unmoved));
    const plain: StoredUpdate[] = [];
    for (const row of rows) plain.push({ ...row, _changes: await this.encryption.openChanges(place, id, row._changes) });
    return { rows: plain, total };
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

  private async behindMoves(of: string, paths: readonly string[]): Promise<JsonObject> {
    const move = own({ of, _action: 'UPDATE', '_changes._path': { $in: [...paths] } });
    const [last] = (await this.store.find(UPDATE_LOGS, { filter: move, sort: NEWEST_FIRST, limit: 1 })) as unknown as readonly StoredUpdate[];
    return last === undefined ? {} : { $or: [{ _at: { $gt: last._at } }, { _at: last._at, _id: { $gt: last._id } }] };
  }

  private async entries(of: string, action: StoredUpdate['_action'], paging: Paging, only: JsonObject = {}): Promise<Slice<StoredUpdate>> {
    return (await slice(this.store, UPDATE_LOGS, own({ of, _action: action, ...only }), { paging, sort: NEWEST_FIRST })) as Slice<StoredUpdate>;
  }
}

/** The related item that an entry tells of. */
export const idOf = ({ of }: Pick<StoredUpdate, 'of'>) => of.slice(of.indexOf(':') + 1);
