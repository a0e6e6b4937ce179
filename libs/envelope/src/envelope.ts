import type { Tx } from '@twinyard/service-kit';
import { openText, parseCiphertext, sealText, UnopenableCiphertext } from './ciphertext';
import type { DataKeys } from './data-keys';

/** What a ciphertext belongs to. It opens there and nowhere else. */
export interface SealedPlace {
  /** The namespace under whose key it lies. */
  readonly namespace: string;
  /** Names the record, and the field where it has several; never changes. */
  readonly record: string;
}

/** Envelope encryption: texts under the data key of a namespace, data keys under the key-encryption key. */
export class Envelope<T extends Tx = Tx> {
  constructor(readonly keys: DataKeys<T>) {}

  async seal({ namespace, record }: SealedPlace, text: string): Promise<string> {
    return sealText(await this.keys.newest(namespace), record, text);
  }

  /** @throws UnopenableCiphertext */
  async open({ namespace, record }: SealedPlace, ciphertext: string): Promise<string> {
    const keyId = parseCiphertext(ciphertext)?.keyId;
    const key = keyId === undefined ? undefined : await this.keys.find(keyId);
    if (key?.namespace !== namespace) throw new UnopenableCiphertext();
    return openText(key, record, ciphertext);
  }
}
