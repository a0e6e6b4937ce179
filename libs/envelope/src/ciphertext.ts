import { createHash } from 'node:crypto';
import { joined, openBytes, sealBytes } from '@twinyard/service-kit';
import type { DataKey } from './data-key';

const VERSION = 'ty1';
const RECORD_TAG_BYTES = 16;
/** Before the payload. A pattern for that too would need more than its stack for some megabytes (V8). */
const HEAD = /^ty1\.([\w-]{16})\.([\w-]{22})\./;
const SHORTEST_PAYLOAD = 38;
const BEGINNING = /^\s*ty1\.[\w-]{16}\./;

/** Says the same whatever was wrong: who sends ciphertext learns nothing from the answer. The cause is for the log. */
export class UnopenableCiphertext extends Error {
  constructor(options?: ErrorOptions) {
    super('The ciphertext cannot be opened', options);
    this.name = 'UnopenableCiphertext';
  }
}

export interface CiphertextParts {
  /** The data key that it was sealed under. */
  readonly keyId: string;
  /** Tells the record that it belongs to from all others, also when the key is gone. */
  readonly recordTag: string;
  readonly payload: Buffer;
}

/**
 * `ty1.<data key>.<record>.<nonce, tag and ciphertext>`, each part base64url. What it is bound to: version, key, namespace and
 * record, so that no part can be changed and it opens nowhere else.
 */
export function sealText(key: DataKey, record: string, text: string): string {
  return [VERSION, key.id, recordTagOf(record), sealBytes(key.secret, text, bindingOf(key, record)).toString('base64url')].join('.');
}

/** @throws UnopenableCiphertext when it is none, of another record or namespace, under another key, or changed. */
export function openText(key: DataKey, record: string, ciphertext: string): string {
  const parts = parseCiphertext(ciphertext);
  if (parts === undefined || parts.keyId !== key.id || parts.recordTag !== recordTagOf(record)) throw new UnopenableCiphertext();
  try {
    return openBytes(key.secret, parts.payload, bindingOf(key, record));
  } catch (cause) {
    throw new UnopenableCiphertext({ cause });
  }
}

export function parseCiphertext(text: string): CiphertextParts | undefined {
  const [head, keyId, recordTag] = HEAD.exec(text) ?? [];
  if (head === undefined || keyId === undefined || recordTag === undefined) return undefined;
  const encoded = text.slice(head.length);
  if (encoded.length < SHORTEST_PAYLOAD) return undefined;
  const payload = Buffer.from(encoded, 'base64url');
  // Decoding passes over what is none of its characters, and the last one has bits that it drops: only one spelling is the ciphertext.
  return payload.toString('base64url') === encoded ? { keyId, recordTag, payload } : undefined;
}

/** Whether a text is, or was meant to be, ciphertext of ours, whole or cut off. */
export const looksSealed = (text: string): boolean => BEGINNING.test(text);

/** Whether a ciphertext says that it is the record's, whichever key it is under. */
export const isCiphertextOf = (record: string, text: string): boolean => parseCiphertext(text)?.recordTag === recordTagOf(record);

const recordTagOf = (record: string) => createHash('sha256').update(joined(VERSION, record)).digest().subarray(0, RECORD_TAG_BYTES).toString('base64url');

const bindingOf = ({ id, namespace }: DataKey, record: string) => joined(VERSION, id, namespace, record);
