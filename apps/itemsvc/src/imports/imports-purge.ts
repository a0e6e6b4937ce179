import { Injectable } from '@nestjs/common';
import { NamespacePurge, type PurgeStep } from '@twinyard/events';
import { ImportsRepository } from './imports.repository';

/** Files on their way into the namespace. That of a collection which lies in others too goes as well: its sender is told, and may send it again. */
@Injectable()
export class ImportsPurge extends NamespacePurge {
  override readonly what = 'imports';

  constructor(private readonly imports: ImportsRepository) {
    super();
  }

  override async removeSome(namespace: string, limit: number): Promise<PurgeStep> {
    const records = await this.imports.inNamespace(namespace, Math.min(limit, 10));
    for (const { _id } of records) await this.imports.remove(_id);
    return { removed: records.length };
  }
}
