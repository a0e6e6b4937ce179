import { Injectable } from '@nestjs/common';
import { JobStore } from '@twinyard/jobs';
import { NamespacePurge, type PurgeStep } from './namespace-purge';

/** Background jobs of the namespace, also those that were given up. */
@Injectable()
export class JobsPurge extends NamespacePurge {
  override readonly what = 'background jobs';

  constructor(private readonly store: JobStore) {
    super();
  }

  override async removeSome(namespace: string, limit: number): Promise<PurgeStep> {
    return { removed: await this.store.purge(namespace, limit) };
  }
}
