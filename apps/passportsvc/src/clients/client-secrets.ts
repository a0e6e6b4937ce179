import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { PASSPORT_SETTINGS, type PassportSettings } from '../config';

/**
 * Secrets of clients and applications, kept as an HMAC under a key that is not in the database. They are long and random, so a
 * slow hash would only slow down every token request.
 */
@Injectable()
export class ClientSecrets {
  private readonly key: Buffer;

  constructor(@Inject(PASSPORT_SETTINGS) settings: PassportSettings) {
    this.key = Buffer.from(hkdfSync('sha256', Buffer.from(settings.KEY_ENCRYPTION_KEY, 'base64'), '', 'client secrets', 32));
  }

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
}
