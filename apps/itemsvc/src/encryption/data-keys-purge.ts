import { Injectable } from '@nestjs/common';
import { DataKeyInUse, DataKeyUses, Envelope } from '@twinyard/envelope';
import { NamespacePurge, type PurgeStep } from '@twinyard/events';
import { type Tx, UnitOfWork } from '@twinyard/service-kit';
import { ResealVersion } from './reseal-version';

/** The data keys of a namespace, when its items are gone: what was sealed there opens nowhere any more. What has moved to another goes under that one's key. */
@Injectable()
export class DataKeysPurge extends NamespacePurge {
  override readonly what = 'data keys';

  constructor(
    private readonly envelope: Envelope,
    private readonly uses: DataKeyUses,
    private readonly unitOfWork: UnitOfWork<Tx>,
    private readonly version: ResealVersion,
  ) {
    super();
  }

  override async removeSome(namespace: string, limit: number): Promise<PurgeStep> {
    const keys = await this.envelope.keys.store.listOf(namespace);
    if (keys.length === 0) return { removed: 0 };
    const ids = keys.map(({ id }) => id);
    for (const { holder } of await this.uses.list(ids, undefined, limit)) await this.version.run(holder, ids);
    this.envelope.keys.forget(namespace);
    let removed = 0;
    for (const id of ids) removed += (await this.remove(id)) ? 1 : 0;
    return { removed };
  }

  /** One that is in use yet waits for what uses it to go. */
  private async remove(id: string): Promise<boolean> {
    try {
      return await this.unitOfWork.run((tx) => this.envelope.keys.store.remove(tx, id));
    } catch (error) {
      if (error instanceof DataKeyInUse) return false;
      throw error;
    }
  }
}
