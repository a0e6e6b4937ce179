import { Injectable } from '@nestjs/common';
import { UnopenableCiphertext } from '@twinyard/envelope';
import { NamespacePurge, type PurgeStep } from '@twinyard/events';
import { TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { SecretValues, type SealedValue } from './secret-values';
import { type SealedSecret, SealedSecretsRepository } from './sealed-secrets.repository';

/** The secrets of a namespace, and then its data keys: ciphertext that somebody read before opens nowhere any more. A backup from before holds both. */
@Injectable()
export class SecretsPurge extends NamespacePurge {
  override readonly what = 'secrets and data keys';

  constructor(
    private readonly secrets: SealedSecretsRepository,
    private readonly values: SecretValues,
    private readonly unitOfWork: TypeOrmUnitOfWork,
  ) {
    super();
  }

  override async removeSome(namespace: string, limit: number): Promise<PurgeStep> {
    const own = await this.unitOfWork.run((tx) => this.secrets.removeOf(tx, namespace, limit));
    if (own > 0) return { removed: own };
    let left = 0;
    for (const secret of await this.secrets.listShared(namespace, limit)) left += (await this.leave(namespace, secret)) ? 1 : 0;
    if (left > 0) return { removed: left };
    this.values.forgetKeys([namespace]);
    return { removed: await this.unitOfWork.run((tx) => this.secrets.removeUnusedKeys(tx, namespace)) };
  }

  /** What lies in other namespaces too stays there, under the key of the next one. */
  private async leave(namespace: string, secret: SealedSecret): Promise<boolean> {
    const namespaces = secret.namespaces.filter((name) => name !== namespace);
    try {
      const anew = secret.namespaces[0] === namespace ? await this.sealedIn(namespaces, secret) : undefined;
      return await this.unitOfWork.run((tx) => this.secrets.leave(tx, namespace, secret, anew));
    } catch (error) {
      if (!(error instanceof UnopenableCiphertext)) throw error;
      // Nobody can read it any more, under whichever key.
      await this.unitOfWork.run((tx) => this.secrets.remove(tx, secret.id));
      return true;
    }
  }

  private async sealedIn(namespaces: readonly string[], { id, ...secret }: SealedSecret): Promise<SealedValue> {
    return this.values.seal({ id, namespaces: [...namespaces] }, await this.values.open({ id, namespaces: [...secret.namespaces], sealed: secret.sealed }));
  }
}
