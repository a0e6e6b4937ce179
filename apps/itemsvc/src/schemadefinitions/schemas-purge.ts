import { Injectable } from '@nestjs/common';
import { DocumentStore } from '@twinyard/documents';
import { NamespacePurge, type PurgeStep } from '@twinyard/events';
import { SCHEMAS } from '../storage/collections';
import { own } from '../storage/filters';

@Injectable()
export class SchemasPurge extends NamespacePurge {
  override readonly what = 'schema definitions';

  constructor(private readonly store: DocumentStore) {
    super();
  }

  override async removeSome(namespace: string): Promise<PurgeStep> {
    const { count } = await this.store.transaction((tx) => this.store.deleteMany(tx, SCHEMAS, own({ _id: namespace })));
    return { removed: count };
  }
}
