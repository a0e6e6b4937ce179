import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import type { KeyCipher } from './key-cipher';

const KEY_BYTES = 32;
const ID_BYTES = 12;

/** A data key as it is kept: wrapped by the key-encryption key. */
export interface DataKeyRecord {
  /** Random; ciphertexts name it. */
  readonly id: string;
  readonly namespace: string;
  /** 1, 2, …: the newest of a namespace seals, all of them open. */
  readonly version: number;
  readonly wrapped: string;
}

/** A data key as it is used, in memory alone. */
export interface DataKey extends Omit<DataKeyRecord, 'wrapped'> {
  readonly secret: KeyObject;
}

/** What its wrapping is bound to; it stands in the error when it does not open. */
export const wrappingContext = ({ id, namespace, version }: Omit<DataKeyRecord, 'wrapped'>): string => `data key ${version} of ${namespace} (${id})`;

export function newDataKey(cipher: KeyCipher, namespace: string, version: number): DataKeyRecord {
  const key = { id: randomBytes(ID_BYTES).toString('base64url'), namespace, version };
  return { ...key, wrapped: cipher.seal(randomBytes(KEY_BYTES).toString('base64'), wrappingContext(key)) };
}

/** @throws Error when the key-encryption key is another one, or the row was changed. */
export function unwrapDataKey(cipher: KeyCipher, { wrapped, ...key }: DataKeyRecord): DataKey {
  return { ...key, secret: createSecretKey(cipher.open(wrapped, wrappingContext(key)), 'base64') };
}
