import { Injectable } from '@nestjs/common';
import type { NamespaceScope } from '@twinyard/auth';
import type { Slice } from '@twinyard/conventions';
import { type DocumentTx, DocumentStore, type StoredDocument } from '@twinyard/documents';
import type { NamedItem } from '../nameditems/named-item';
import { MEMBERS } from '../storage/collections';
import { chunksOf, narrowed, own, scopeFilter, type ScopeFields } from '../storage/filters';
import { type ListQuery, slice } from '../storage/list-query';
import { portionsOf, readOwn } from '../storage/own-reads';
import type { Member } from './member';

const MEMBER_SCOPE_FIELDS: ScopeFields = { id: '_itemId', namespaces: 'namespaces', itemClass: '_userItemClass', userType: '_userType' };
const BATCH = 1_000;

@Injectable()
export class MembersRepository {
  constructor(private readonly store: DocumentStore) {}

  /** Only members that the caller may READ. */
  async list(scope: NamespaceScope, compositeVersion: string, query: ListQuery): Promise<Slice<StoredDocument>> {
    const reach = scopeFilter([scope], MEMBER_SCOPE_FIELDS);
    const filter = narrowed(query.filter, own({ compositeVersion }), ...(reach ? [reach] : []));
    return reach === undefined ? { rows: [], total: 0 } : slice(this.store, MEMBERS, filter, query);
  }

  async ofVersion(tx: DocumentTx, compositeVersion: string, itemIds: readonly string[]): Promise<Member[]> {
    const filter = own({ compositeVersion, _itemId: { $in: itemIds } });
    return (await readOwn(this.store, MEMBERS, { filter, limit: itemIds.length }, tx)) as Member[];
  }

  async insertMany(tx: DocumentTx, members: readonly Member[]): Promise<void> {
    if (members.length > 0) await this.store.insertMany(tx, MEMBERS, members);
  }

  async replaceMany(tx: DocumentTx, members: readonly Member[]): Promise<void> {
    if (members.length > 0) await this.store.replaceMany(tx, MEMBERS, members);
  }

  /** The number removed. */
  async remove(tx: DocumentTx, compositeVersion: string, id: string): Promise<number> {
    return (await this.store.deleteMany(tx, MEMBERS, own({ _id: id, compositeVersion }))).count;
  }

  /** What these versions hold and where they are held. */
  async removeOfVersions(tx: DocumentTx, versionIds: readonly string[]): Promise<void> {
    for (const chunk of chunksOf(versionIds)) {
      await this.store.deleteMany(tx, MEMBERS, own({ compositeVersion: { $in: chunk } }));
      await this.store.deleteMany(tx, MEMBERS, own({ _userItemVersionId: { $in: chunk } }));
    }
  }

  /** An item was changed: its entries in composites say what it says now. */
  async follow(tx: DocumentTx, item: NamedItem): Promise<void> {
    for await (const members of portionsOf(this.store, MEMBERS, own({ _itemId: item._id }), BATCH, tx)) {
      await this.replaceMany(tx, (members as readonly Member[]).map((member) => ({ ...member, _name: item._name, _userType: item._userType, namespaces: item._namespaces })));
    }
  }
}
