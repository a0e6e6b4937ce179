import { Injectable } from '@nestjs/common';
import type { NamespaceScope } from '@twinyard/auth';
import { conflict, isObjectId, ServiceError, type Slice } from '@twinyard/conventions';
import { type DocumentTx, DocumentStore, type StoredDocument } from '@twinyard/documents';
import { CONFIGURED_NAMESPACES, TELEMETRY_CONFIGS } from '../storage/collections';
import { narrowed, own, scopeFilter } from '../storage/filters';
import { type ListQuery, slice } from '../storage/list-query';
import { readOwnByIds } from '../storage/own-reads';
import type { TelemetryConfig } from './telemetry-config';

const EMPTY: Slice<StoredDocument> = { rows: [], total: 0 };

@Injectable()
export class TelemetryConfigsRepository {
  constructor(private readonly store: DocumentStore) {}

  async find(scopes: readonly NamespaceScope[], id: string): Promise<TelemetryConfig | undefined> {
    const reach = scopeFilter(scopes);
    if (reach === undefined || !isObjectId(id)) return undefined;
    const [config] = await this.store.find(TELEMETRY_CONFIGS, { filter: narrowed(undefined, own({ _id: id }), reach), limit: 1 });
    return config as TelemetryConfig | undefined;
  }

  async list(scope: NamespaceScope, query: ListQuery): Promise<Slice<StoredDocument>> {
    const reach = scopeFilter([scope]);
    // The filter is parsed even where nothing is in reach: a bad one is 400 for everybody.
    const asked = narrowed(query.filter, ...(reach ? [reach] : []));
    return reach === undefined ? EMPTY : slice(this.store, TELEMETRY_CONFIGS, asked, query);
  }

  /** Of whomever: for readings that are on their way into a collection of these namespaces. Most namespaces have none. */
  async ofNamespaces(namespaces: readonly string[]): Promise<TelemetryConfig[]> {
    const claims = await this.store.find(CONFIGURED_NAMESPACES, { filter: own({ _id: { $in: namespaces } }), sort: { _id: 1 }, limit: namespaces.length });
    const ids = [...new Set(claims.map(({ config }) => config as string))];
    return (await readOwnByIds(this.store, TELEMETRY_CONFIGS, ids)) as TelemetryConfig[];
  }

  async current(tx: DocumentTx, id: string): Promise<TelemetryConfig | undefined> {
    const [config] = await this.store.find(TELEMETRY_CONFIGS, { filter: own({ _id: id }), limit: 1 }, tx);
    return config as TelemetryConfig | undefined;
  }

  async insert(tx: DocumentTx, config: TelemetryConfig): Promise<void> {
    await this.claim(tx, config._id, config._namespaces);
    await this.store.insertMany(tx, TELEMETRY_CONFIGS, [config]);
  }

  async replace(tx: DocumentTx, before: TelemetryConfig, after: TelemetryConfig): Promise<void> {
    await this.release(tx, before._namespaces.filter((namespace) => !after._namespaces.includes(namespace)));
    await this.claim(tx, after._id, after._namespaces.filter((namespace) => !before._namespaces.includes(namespace)));
    await this.store.replaceMany(tx, TELEMETRY_CONFIGS, [after]);
  }

  async remove(tx: DocumentTx, { _id, _namespaces }: TelemetryConfig): Promise<void> {
    await this.release(tx, _namespaces);
    await this.store.deleteMany(tx, TELEMETRY_CONFIGS, own({ _id }));
  }

  /** "One per ns (a second ends 409)": the namespace is the id of the claim, so the store itself refuses the second, whoever was first. */
  private async claim(tx: DocumentTx, config: string, namespaces: readonly string[]): Promise<void> {
    try {
      if (namespaces.length > 0) await this.store.insertMany(tx, CONFIGURED_NAMESPACES, namespaces.map((_id) => ({ _id, config })));
    } catch (error) {
      throw error instanceof ServiceError && error.code === 'conflict' ? conflict('A namespace has one telemetry config, and one of these has it already') : error;
    }
  }

  private async release(tx: DocumentTx, namespaces: readonly string[]): Promise<void> {
    if (namespaces.length > 0) await this.store.deleteMany(tx, CONFIGURED_NAMESPACES, own({ _id: { $in: namespaces } }));
  }
}
