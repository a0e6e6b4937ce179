import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * AES-256-GCM under `KEY_ENCRYPTION_KEY`; `context` is authenticated, so that a row cannot be moved under another id. What
 * `KEY_ENCRYPTION_KEY_PREVIOUS` has sealed is opened too.
 */
export class KeyCipher {
  private readonly keys: readonly Buffer[];

  constructor(keyInBase64: string, previousInBase64?: string) {
    this.keys = [keyInBase64, previousInBase64].filter((key) => key !== undefined).map((key) => Buffer.from(key, 'base64'));
  }

  seal(text: string, context: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.keys[0] as Buffer, nonce).setAAD(Buffer.from(context));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
  }

  /** @throws Error when the key is another one or the text was changed. */
  open(sealed: string, context: string): string {
    return this.unseal(sealed, context).text;
  }

  /** The key that sealed it. */
  keyOf(sealed: string, context: string): Buffer {
    return this.unseal(sealed, context).key;
  }

  /** Whether it is sealed under the key that seals now. */
  isCurrent(sealed: string, context: string): boolean {
    return this.keyOf(sealed, context) === this.keys[0];
  }

  private unseal(sealed: string, context: string): { readonly text: string; readonly key: Buffer } {
    const faults: unknown[] = [];
    for (const key of this.keys) {
      try {
        return { text: openWith(key, sealed, context), key };
      } catch (error) {
        faults.push(error);
      }
    }
    throw new Error(`KEY_ENCRYPTION_KEY does not open ${context}: the database was filled under another key, or the row was changed`, { cause: faults[0] });
  }
}

function openWith(key: Buffer, sealed: string, context: string): string {
  const bytes = Buffer.from(sealed, 'base64');
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
}
