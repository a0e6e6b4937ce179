import { Inject, Injectable } from '@nestjs/common';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { FILESVC_SETTINGS, type FilesvcSettings } from '../config';
import { NamespaceUsageRepository } from './namespace-usage.repository';
import { type NamespaceUsage, quotaExceeded, type Room, roomIn } from './room';

/** Bytes that a change has added to each of some namespaces. */
export interface Addition {
  readonly namespaces: readonly string[];
  readonly bytes: number;
}

/** How much may be kept in a namespace. One without a limit costs no question. */
@Injectable()
export class NamespaceQuota {
  constructor(
    private readonly usage: NamespaceUsageRepository,
    @Inject(FILESVC_SETTINGS) private readonly settings: Pick<FilesvcSettings, 'NAMESPACE_QUOTA_BYTES' | 'NAMESPACE_QUOTAS'>,
  ) {}

  limitOf(namespace: string): number | undefined {
    return this.settings.NAMESPACE_QUOTAS.get(namespace) ?? this.settings.NAMESPACE_QUOTA_BYTES;
  }

  /** What there is room for now, for refusing early; `undefined`, when there is no limit. Only `require` decides. */
  async room(namespaces: readonly string[]): Promise<Room | undefined> {
    const limited = this.limited(namespaces);
    return limited.length === 0 ? undefined : roomIn(await this.read(limited));
  }

  /**
   * Refuses (413) what a transaction has added beyond a limit. To be asked last in it: whoever adds to such a namespace waits here for
   * the others, so that no two are allowed the same room.
   */
  async require(tx: TypeOrmTx, additions: readonly Addition[]): Promise<void> {
    const limited = this.limited(additions.flatMap(({ namespaces }) => namespaces));
    if (limited.length === 0) return;
    await this.usage.lock(tx, limited);
    for (const { namespace, limit, used } of await this.read(limited, tx)) {
      const added = additions.reduce((sum, { namespaces, bytes }) => sum + (namespaces.includes(namespace) ? bytes : 0), 0);
      if (used > limit && added > 0) throw quotaExceeded({ namespace, limit, used: used - added }, added);
    }
  }

  /** The same of what has come into namespaces with a file, or with a folder and all that is below it. */
  async requireMoved(tx: TypeOrmTx, fileId: string, namespaces: readonly string[]): Promise<void> {
    const limited = this.limited(namespaces);
    if (limited.length > 0) await this.require(tx, [{ namespaces: limited, bytes: await this.usage.heldBelow(tx, fileId) }]);
  }

  private limited(namespaces: readonly string[]): string[] {
    return [...new Set(namespaces)].filter((namespace) => this.limitOf(namespace) !== undefined);
  }

  private async read(namespaces: readonly string[], tx?: TypeOrmTx): Promise<NamespaceUsage[]> {
    const used = await this.usage.used(namespaces, tx);
    return namespaces.map((namespace) => ({ namespace, limit: this.limitOf(namespace) ?? 0, used: used.get(namespace) ?? 0 }));
  }
}
