import { Injectable } from '@nestjs/common';
import { keepingBody, type KeepAnswer, type RequestContext } from '@twinyard/auth';
import { formatIrn, invalidField, ServiceError } from '@twinyard/conventions';
import { DocumentStore } from '@twinyard/documents';
import { type NewEvent, Outbox, resourceCreated, resourceUpdated } from '@twinyard/events';
import type { NamedItem } from '../nameditems/named-item';
import { newMetadata, touched } from '../storage/authorship';
import { type CollectionEntry, GenerateSchema, toEntry } from './generate-schema';
import { SCHEMA_TYPE, type SchemaTypes, type StoredSchema } from './schema-definition';
import { parseSchemaTypes } from './schema-definition.parse';
import { reaches, SchemaDefinitionsRepository } from './schema-definitions.repository';

type SchemaDefinition = SchemaTypes & Partial<Pick<StoredSchema, '_metadata'>> & { readonly _collections: readonly CollectionEntry[] };

@Injectable()
export class SchemaDefinitionsService {
  constructor(
    private readonly schemas: SchemaDefinitionsRepository,
    private readonly generation: GenerateSchema,
    private readonly store: DocumentStore,
    private readonly outbox: Outbox,
  ) {}

  /** A namespace that has none, or that the caller may not see into, has an empty one. */
  async get(ctx: RequestContext): Promise<SchemaDefinition> {
    const namespace = onlyNamespace(ctx);
    return this.withCollections(ctx, namespace, await this.schemas.find(ctx.access.scope('READ', SCHEMA_TYPE), namespace));
  }

  async put(ctx: RequestContext, body: unknown): Promise<SchemaDefinition> {
    const namespace = onlyNamespace(ctx);
    ctx.access.require('EDIT', { type: SCHEMA_TYPE, id: '*', namespaces: [namespace] });
    const types = parseSchemaTypes(body);
    const collections = await this.generation.collections(ctx, namespace);
    return keepingBody(ctx, 200, (stored: StoredSchema) => toDefinition(stored, collections), (keep) => {
      const write = () => this.write(ctx, namespace, types, keep);
      // Two first ones at the same moment: the later replaces the earlier.
      return write().catch((error: unknown) => (error instanceof ServiceError && error.code === 'conflict' ? write() : Promise.reject(error as Error)));
    });
  }

  async generate(ctx: RequestContext): Promise<SchemaDefinition> {
    const namespace = onlyNamespace(ctx);
    return reaches(ctx.access.scope('READ', SCHEMA_TYPE), namespace) ? this.generation.run(ctx, namespace) : { _itemTypes: [], _readingTypes: [], _collections: [] };
  }

  private write(ctx: RequestContext, namespace: string, types: SchemaTypes, keep?: KeepAnswer<StoredSchema>): Promise<StoredSchema> {
    const at = Date.now();
    return this.store.transaction(async (tx) => {
      const before = await this.schemas.current(tx, namespace);
      const schema: StoredSchema = { _id: namespace, ...types, _metadata: before === undefined ? newMetadata(ctx, at) : touched(before._metadata, ctx, at) };
      await this.schemas.put(tx, schema, before === undefined);
      await this.outbox.append(tx, toEvent(ctx, namespace, before === undefined));
      await keep?.(tx, schema);
      return schema;
    });
  }

  private async withCollections(ctx: RequestContext, namespace: string, stored: StoredSchema | undefined): Promise<SchemaDefinition> {
    return toDefinition(stored, await this.generation.collections(ctx, namespace));
  }
}

function toDefinition(stored: StoredSchema | undefined, collections: readonly NamedItem[]): SchemaDefinition {
  const { _itemTypes = [], _readingTypes = [], _metadata } = stored ?? {};
  return { _itemTypes, _readingTypes, _collections: collections.map((item) => toEntry(item, item._itemTypes ?? [])), ...(_metadata && { _metadata }) };
}

function onlyNamespace(ctx: RequestContext): string {
  const [namespace, ...others] = ctx.namespaces;
  if (namespace === undefined || others.length > 0) throw invalidField('nsfilter', 'must name one namespace: each has a schema definition of its own');
  return namespace;
}

function toEvent(ctx: RequestContext, namespace: string, isNew: boolean): NewEvent {
  const fields = { _id: namespace, _irn: formatIrn('itemsvc', 'schemadefinition', namespace), _namespaces: [namespace] };
  return (isNew ? resourceCreated : resourceUpdated)('itemsvc.SchemaDefinition', fields, ctx.origin);
}
