import { Injectable } from '@nestjs/common';
import { invalidField } from '@twinyard/conventions';
import { Envelope, isCiphertextOf, looksSealed, parseCiphertext, UnopenableCiphertext } from '@twinyard/envelope';
import { type SecretEntity, secretIrn } from './secret.entity';

export type SealedValue = Pick<SecretEntity, 'sealed' | 'dataKeyId'>;

/** What a secret's place is made of: it is sealed under the key of its first namespace. */
type Placed = Pick<SecretEntity, 'id' | 'namespaces'>;

/** Sentences of the answer say nothing of values. */
const FOREIGN = 'is ciphertext, but none of this secret: send the plain text';
const DAMAGED = 'is ciphertext of this secret that was changed or cut off';

/** The values of secrets, sealed and opened. */
@Injectable()
export class SecretValues {
  constructor(private readonly envelope: Envelope) {}

  async seal(secret: Placed, value: string): Promise<SealedValue> {
    const sealed = await this.envelope.seal(placeOf(secret), value);
    return { sealed, dataKeyId: parseCiphertext(sealed)?.keyId ?? '' };
  }

  open(secret: Placed & Pick<SecretEntity, 'sealed'>): Promise<string> {
    return this.envelope.open(placeOf(secret), secret.sealed);
  }

  /** What is remembered of the namespaces' keys may be out of date. */
  forgetKeys(namespaces: readonly string[]): void {
    for (const namespace of namespaces) this.envelope.keys.forget(namespace);
  }

  /**
   * Contract 1.5: who sends back ciphertext that was read of this secret keeps its value, also when it was read before a rotation, whose
   * old key is gone: that it is this secret's stands in it. Any other ciphertext would be stored by mistake.
   */
  async keeps(secret: Placed, sent: string): Promise<boolean> {
    if (!looksSealed(sent)) return false;
    const text = sent.trim();
    const keyId = parseCiphertext(text)?.keyId;
    if (keyId === undefined || !isCiphertextOf(secretIrn(secret.id), text)) throw invalidField('_value', FOREIGN);
    const key = await this.envelope.keys.find(keyId);
    if (key === undefined) return true;
    await this.envelope.open({ namespace: key.namespace, record: secretIrn(secret.id) }, text).catch((error: unknown) => {
      throw error instanceof UnopenableCiphertext ? invalidField('_value', DAMAGED) : error;
    });
    return true;
  }

  requirePlain(sent: string, field: string): void {
    if (looksSealed(sent)) throw invalidField(field, FOREIGN);
  }
}

const placeOf = ({ id, namespaces }: Placed) => {
  const [namespace] = namespaces;
  if (namespace === undefined) throw new Error(`Secret ${id} is in no namespace`);
  return { namespace, record: secretIrn(id) };
};
