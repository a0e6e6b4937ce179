import { createHash, createSecretKey, type KeyObject } from 'node:crypto';
import { joined, openBytes, sealBytes } from '@twinyard/service-kit';

const VERSION = 'k1';
const KEY_ID_LENGTH = 11;

interface KeyEncryptionKey {
  readonly id: string;
  readonly bytes: Buffer;
  readonly key: KeyObject;
}

/**
 * Seals keys, and single secrets of the platform itself, under `KEY_ENCRYPTION_KEY`, as `k1.<id of the key>.<base64url>`. `context`
 * says what for and is authenticated, so that a row cannot be moved under another id. What `KEY_ENCRYPTION_KEY_PREVIOUS` has sealed
 * is opened too, and so is what was sealed before there was a format with the key's id.
 */
export class KeyCipher {
  private readonly current: KeyEncryptionKey;
  private readonly keys: readonly KeyEncryptionKey[];

  constructor(keyInBase64: string, previousInBase64?: string) {
    this.current = toKey(keyInBase64);
    this.keys = previousInBase64 === undefined ? [this.current] : [this.current, toKey(previousInBase64)];
  }

  seal(text: string, context: string): string {
    const { id, key } = this.current;
    return `${VERSION}.${id}.${sealBytes(key, text, joined(VERSION, id, context)).toString('base64url')}`;
  }

  /** @throws Error that names the setting and the context, and nothing of what is inside. */
  open(sealed: string, context: string): string {
    return this.unseal(sealed, context).text;
  }

  /** The key that sealed it. */
  keyOf(sealed: string, context: string): Buffer {
    return this.unseal(sealed, context).key.bytes;
  }

  /** Whether it is sealed under the key, and in the format, that seal now. */
  isCurrent(sealed: string, context: string): boolean {
    return this.unseal(sealed, context).key === this.current && sealed.startsWith(`${VERSION}.`);
  }

  /** What it says, sealed under the key that seals now; `undefined` when it is so already. */
  resealed(sealed: string, context: string): string | undefined {
    return this.isCurrent(sealed, context) ? undefined : this.seal(this.open(sealed, context), context);
  }

  private unseal(sealed: string, context: string): { readonly text: string; readonly key: KeyEncryptionKey } {
    let cause: unknown;
    for (const key of this.keys) {
      try {
        return { text: openWith(key, sealed, context), key };
      } catch (error) {
        cause ??= error;
      }
    }
    throw new Error(`KEY_ENCRYPTION_KEY does not open ${context}: the database was filled under another key, or the row was changed`, { cause });
  }
}

function toKey(inBase64: string): KeyEncryptionKey {
  const bytes = Buffer.from(inBase64, 'base64');
  const id = createHash('sha256').update('key-encryption key').update(bytes).digest('base64url').slice(0, KEY_ID_LENGTH);
  return { id, bytes, key: createSecretKey(bytes) };
}

function openWith({ id, key }: KeyEncryptionKey, sealed: string, context: string): string {
  const [version, keyId, payload] = sealed.split('.');
  // The first format was base64 alone, which has no dots.
  if (keyId === undefined || payload === undefined) return openBytes(key, Buffer.from(sealed, 'base64'), context);
  if (version !== VERSION || keyId !== id) throw new Error('Sealed under another key');
  return openBytes(key, Buffer.from(payload, 'base64url'), joined(VERSION, id, context));
}
