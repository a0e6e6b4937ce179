import { Injectable } from '@nestjs/common';
import { type DataKey, Envelope, type ResealedBatch, SealedRecords, sealText, UnopenableCiphertext } from '@twinyard/envelope';
import { TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { secretIrn } from './secret.entity';
import { type ResealedSecret, type SealedSecret, SealedSecretsRepository } from './sealed-secrets.repository';

/** What a rotation of data keys seals anew. */
@Injectable()
export class SealedSecrets extends SealedRecords {
  constructor(
    private readonly unitOfWork: TypeOrmUnitOfWork,
    private readonly repository: SealedSecretsRepository,
    private readonly envelope: Envelope,
  ) {
    super();
  }

  override async reseal(newest: DataKey, after: string | undefined, limit: number): Promise<ResealedBatch> {
    const batch = await this.repository.listUnderOlderKeys(newest.namespace, newest.id, after, limit);
    const unopenable: string[] = [];
    const resealed: ResealedSecret[] = [];
    for (const secret of batch) {
      const text = await this.opened(newest.namespace, secret);
      if (text === undefined) unopenable.push(secretIrn(secret.id));
      else resealed.push({ id: secret.id, before: secret.sealed, sealed: sealText(newest, secretIrn(secret.id), text), dataKeyId: newest.id });
    }
    const count = resealed.length === 0 ? 0 : await this.unitOfWork.run((tx) => this.repository.replaceSealed(tx, resealed));
    return { resealed: count, unopenable, last: batch.length < limit ? undefined : batch.at(-1)?.id };
  }

  private async opened(namespace: string, { id, sealed }: SealedSecret): Promise<string | undefined> {
    try {
      return await this.envelope.open({ namespace, record: secretIrn(id) }, sealed);
    } catch (error) {
      if (error instanceof UnopenableCiphertext) return undefined;
      throw error;
    }
  }
}
