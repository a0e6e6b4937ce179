import { Injectable } from '@nestjs/common';
import { type DataKey, DataKeyUses, Envelope, type ResealedBatch, SealedRecords } from '@twinyard/envelope';
import { ResealVersion } from './reseal-version';

/** What a rotation of data keys seals anew: one collection version after the other. */
@Injectable()
export class EncryptedItems extends SealedRecords {
  constructor(
    private readonly envelope: Envelope,
    private readonly uses: DataKeyUses,
    private readonly version: ResealVersion,
  ) {
    super();
  }

  override async reseal(newest: DataKey, after: string | undefined): Promise<ResealedBatch> {
    const older = (await this.envelope.keys.store.listOf(newest.namespace)).filter(({ version }) => version < newest.version).map(({ id }) => id);
    const [use] = older.length === 0 ? [] : await this.uses.list(older, after, 1);
    if (use === undefined) return { resealed: 0, unopenable: [], last: undefined };
    return { ...(await this.version.run(use.holder, older, newest)), last: use.holder };
  }
}
