import { createHash, createHmac, createSecretKey, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SigningKeys } from '../signing-keys/signing-keys.service';

/**
 * Secrets of clients and applications, kept as an HMAC under a key that is in the database in sealed form alone. They are long and
 * random, so a slow hash would only slow down every token request.
 */
@Injectable()
export class ClientSecrets {
  private readonly keyObjects = new WeakMap<Uint8Array, KeyObject>();

  constructor(private readonly keys: SigningKeys) {}

  generate(): string {
    return randomBytes(32).toString('base64url');
  }

  hash(secret: string): string {
    return createHmac('sha256', this.key).update(secret).digest('base64url');
  }

  matches(secret: string, hash: string): boolean {
    const given = Buffer.from(this.hash(secret));
    const expected = Buffer.from(hash);
    return given.length === expected.length && timingSafeEqual(given, expected);
  }

  /** Bytes would be made a key of each time anew. */
  private get key(): KeyObject {
    const bytes = this.keys.clientSecretKey;
    const key = this.keyObjects.get(bytes) ?? createSecretKey(bytes);
    this.keyObjects.set(bytes, key);
    return key;
  }
}

/** Names a secret in the tokens that were got with it (`sid`): they end with it, as a user's tokens end with a session. */
export const secretGeneration = (hash: string): string => createHash('sha256').update(`generation of ${hash}`).digest('base64url').slice(0, 22);
