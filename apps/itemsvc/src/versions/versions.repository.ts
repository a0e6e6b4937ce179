import { Injectable } from '@nestjs/common';
import { newObjectId, type Slice } from '@twinyard/conventions';
import { type DocumentTx, DocumentStore, type JsonObject, type StoredDocument } from '@twinyard/documents';
import { type NamedItem, OWNER_FIELDS, ownerFields } from '../nameditems/named-item';
import { COUNTERS, LOCKS, VERSIONS } from '../storage/collections';
import { chunksOf, narrowed, own } from '../storage/filters';
import { type ListQuery, slice } from '../storage/list-query';
import { readOwn, readOwnByIds } from '../storage/own-reads';
import { emptyCounters, type VersionCounters, type VersionRecord } from './version';

const ALL = 100_000;
/** No two versions of an item have one number. */
const BY_NUMBER = { sort: { _version: 1 }, behind: ({ _version }: JsonObject) => ({ _version: { $gt: _version } }) } as const;
const WITHOUT_CONTENT = { _userData: 0, _userAttributes: 0 } as const;

/** Versions are reached through their item, whose scope the caller has passed. */
@Injectable()
export class VersionsRepository {
  constructor(private readonly store: DocumentStore) {}

  async find(itemId: string, id: string, tx?: DocumentTx): Promise<VersionRecord | undefined> {
    const [row] = await this.store.find(VERSIONS, { filter: own({ _id: id, _userItemDbId: itemId }), limit: 1 }, tx);
    return row && toRecord(row);
  }

  async list(itemId: string, query: ListQuery): Promise<Slice<StoredDocument>> {
    const { rows, ...page } = await slice(this.store, VERSIONS, narrowed(query.filter, own({ _userItemDbId: itemId })), query);
    return { rows: rows.map(toRecord), ...page };
  }

  /** All versions of an item, oldest first. */
  async all(tx: DocumentTx | undefined, itemId: string): Promise<VersionRecord[]> {
    const rows = await readOwn(this.store, VERSIONS, { filter: own({ _userItemDbId: itemId }), order: BY_NUMBER, limit: ALL }, tx);
    return rows.map(toRecord);
  }

  ofItem(itemId: string): Promise<VersionRecord[]> {
    return this.all(undefined, itemId);
  }

  /** Without what they hold. */
  async findMany(ids: readonly string[]): Promise<VersionRecord[]> {
    return (await readOwnByIds(this.store, VERSIONS, ids, { projection: WITHOUT_CONTENT })).map(toRecord);
  }

  /** At most `limit` versions of these items that meet a condition of ours or of the caller's, without what they hold. */
  async ofItems(itemIds: readonly string[], condition: JsonObject, limit: number): Promise<VersionRecord[]> {
    if (itemIds.length === 0) return [];
    const filter = narrowed(condition, own({ _userItemDbId: { $in: itemIds } }));
    return (await readOwn(this.store, VERSIONS, { filter, limit, projection: WITHOUT_CONTENT })).map(toRecord);
  }

  async insertMany(tx: DocumentTx, entries: readonly { readonly item: NamedItem; readonly version: VersionRecord }[]): Promise<void> {
    await this.store.insertMany(tx, VERSIONS, entries.map(({ item, version }) => ({ ...version, ...ownerFields(item) })));
    await this.store.insertMany(tx, COUNTERS, entries.map(({ version }) => emptyCounters(version) as unknown as StoredDocument));
    await this.store.insertMany(tx, LOCKS, entries.map(({ version }) => ({ _id: version._id, turn: '' })));
  }

  async replaceMany(tx: DocumentTx, item: NamedItem, versions: readonly VersionRecord[]): Promise<void> {
    await this.store.replaceMany(tx, VERSIONS, versions.map((version) => ({ ...version, ...ownerFields(item) })));
  }

  async removeMany(tx: DocumentTx, ids: readonly string[]): Promise<void> {
    for (const chunk of chunksOf(ids)) {
      for (const collection of [VERSIONS, COUNTERS, LOCKS]) await this.store.deleteMany(tx, collection, own({ _id: { $in: chunk } }));
    }
  }

  /** The item's own turn: whoever makes or deletes versions of it, or changes or deletes it, waits here. */
  async addLocks(tx: DocumentTx, ids: readonly string[]): Promise<void> {
    await this.store.insertMany(tx, LOCKS, ids.map((_id) => ({ _id, turn: '' })));
  }

  /**
   * Waits for the other writers of these items or versions and keeps further ones waiting until the transaction ends: a
   * document of each is rewritten, which locks its row, or on MongoDB makes the later transaction run again. What is read
   * afterwards in the transaction is what the earlier ones left. In one order for all, so that two never wait for each other.
   * Answers with the ids that are gone.
   */
  async lock(tx: DocumentTx, ids: readonly string[]): Promise<readonly string[]> {
    const turn = newObjectId();
    const missing: string[] = [];
    for (const _id of [...new Set(ids)].sort()) missing.push(...(await this.store.replaceMany(tx, LOCKS, [{ _id, turn }])).missing);
    return missing;
  }

  async removeLock(tx: DocumentTx, id: string): Promise<void> {
    await this.store.deleteMany(tx, LOCKS, own({ _id: id }));
  }

  /** As `lock` of one version, with its counters for an answer; none when it is gone, since they go with its lock. */
  async lockCounters(tx: DocumentTx, versionId: string): Promise<VersionCounters | undefined> {
    await this.store.replaceLater(tx, LOCKS, { _id: versionId, turn: newObjectId() });
    return this.countersIfThere(tx, versionId);
  }

  async counters(tx: DocumentTx, versionId: string): Promise<VersionCounters> {
    const counters = await this.countersIfThere(tx, versionId);
    if (counters === undefined) throw new Error(`The version ${versionId} has no counters`);
    return counters;
  }

  private async countersIfThere(tx: DocumentTx, versionId: string): Promise<VersionCounters | undefined> {
    const [row] = await this.store.find(COUNTERS, { filter: own({ _id: versionId }), limit: 1 }, tx);
    return row as unknown as VersionCounters | undefined;
  }

  async countersOf(versionIds: readonly string[]): Promise<ReadonlyMap<string, VersionCounters>> {
    const rows: StoredDocument[] = [];
    for (const chunk of chunksOf(versionIds)) rows.push(...(await this.store.find(COUNTERS, { filter: own({ _id: { $in: chunk } }), limit: chunk.length })));
    return new Map(rows.map((row) => [row._id, row as unknown as VersionCounters]));
  }

  /** Of an item that has other namespaces from now on. Waits for those who write into its versions, and tells those who come next. */
  async noteMove(tx: DocumentTx, { _namespaces: namespaces }: NamedItem, versionIds: readonly string[]): Promise<VersionCounters[]> {
    await this.lock(tx, versionIds);
    const noted: VersionCounters[] = [];
    for (const id of versionIds) {
      const counters = { ...(await this.counters(tx, id)), namespaces };
      await this.putCounters(tx, counters);
      noted.push(counters);
    }
    return noted;
  }

  async putCounters(tx: DocumentTx, counters: VersionCounters): Promise<void> {
    await this.store.replaceLater(tx, COUNTERS, counters as unknown as StoredDocument);
  }
}

function toRecord(row: StoredDocument): VersionRecord {
  const record: Record<string, unknown> = { ...row };
  for (const field of OWNER_FIELDS) delete record[field];
  return record as unknown as VersionRecord;
}
