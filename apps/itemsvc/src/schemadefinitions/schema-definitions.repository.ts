import { Injectable } from '@nestjs/common';
import type { NamespaceScope } from '@twinyard/auth';
import { type DocumentTx, DocumentStore } from '@twinyard/documents';
import type { TypeNames } from '../nameditems/named-item.parse';
import { SCHEMAS } from '../storage/collections';
import { own } from '../storage/filters';
import { readOwnByIds } from '../storage/own-reads';
import type { SchemaTypes, StoredSchema } from './schema-definition';

/** A definition is granted for the whole of a namespace. */
export const reaches = (scope: NamespaceScope, namespace: string): boolean => scope.areas.some((area) => area.namespace === namespace && area.whole);

@Injectable()
export class SchemaDefinitionsRepository {
  constructor(private readonly store: DocumentStore) {}

  /** `undefined` where there is none, or none in the scope's reach. */
  async find(scope: NamespaceScope, namespace: string): Promise<StoredSchema | undefined> {
    return reaches(scope, namespace) ? this.read(namespace) : undefined;
  }

  /** Names of the item types of each namespace: to judge what a caller says of items that it makes there. */
  async typeNames(namespaces: readonly string[]): Promise<TypeNames> {
    const rows = await readOwnByIds(this.store, SCHEMAS, namespaces, { projection: { '_itemTypes._typeName': 1 } });
    return new Map(rows.map((row) => [row._id, new Set((row as unknown as SchemaTypes)._itemTypes.map(({ _typeName }) => _typeName))]));
  }

  async current(tx: DocumentTx, namespace: string): Promise<StoredSchema | undefined> {
    return this.read(namespace, tx);
  }

  async put(tx: DocumentTx, schema: StoredSchema, isNew: boolean): Promise<void> {
    if (isNew) await this.store.insertMany(tx, SCHEMAS, [schema]);
    else await this.store.replaceMany(tx, SCHEMAS, [schema]);
  }

  private async read(namespace: string, tx?: DocumentTx): Promise<StoredSchema | undefined> {
    const [row] = await this.store.find(SCHEMAS, { filter: own({ _id: namespace }), limit: 1 }, tx);
    return row as StoredSchema | undefined;
  }
}
