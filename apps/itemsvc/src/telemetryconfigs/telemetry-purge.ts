import { Injectable } from '@nestjs/common';
import { DocumentStore } from '@twinyard/documents';
import { NamespacePurge, type PurgeStep } from '@twinyard/events';
import { ProcessingErrorsRepository } from '../processingerrors/processing-errors.repository';
import { TELEMETRY_CONFIGS } from '../storage/collections';
import { own } from '../storage/filters';
import { VersionsRepository } from '../versions/versions.repository';
import type { TelemetryConfig } from './telemetry-config';
import { TelemetryConfigsRepository } from './telemetry-configs.repository';

/** The config of the namespace, and what has gone wrong with it. */
@Injectable()
export class TelemetryPurge extends NamespacePurge {
  override readonly what = 'telemetry configs';

  constructor(
    private readonly store: DocumentStore,
    private readonly configs: TelemetryConfigsRepository,
    private readonly versions: VersionsRepository,
    private readonly errors: ProcessingErrorsRepository,
  ) {
    super();
  }

  override async removeSome(namespace: string, limit: number): Promise<PurgeStep> {
    const errors = await this.errors.leave(namespace, limit);
    if (errors > 0) return { removed: errors };
    const [found] = await this.store.find(TELEMETRY_CONFIGS, { filter: own({ _namespaces: namespace }), limit: 1 });
    return { removed: found === undefined ? 0 : await this.leave(found._id, namespace) };
  }

  /** A config that lies in other namespaces too stays there as it is. */
  private leave(id: string, namespace: string): Promise<number> {
    return this.store.transaction(async (tx) => {
      await this.versions.lock(tx, [id]);
      const config = await this.configs.current(tx, id);
      if (config === undefined) return 1;
      const others = config._namespaces.filter((name) => name !== namespace);
      if (others.length > 0) await this.configs.replace(tx, config, { ...config, _namespaces: others } as TelemetryConfig);
      else {
        await this.configs.remove(tx, config);
        await this.versions.removeLock(tx, id);
      }
      return 1;
    });
  }
}
