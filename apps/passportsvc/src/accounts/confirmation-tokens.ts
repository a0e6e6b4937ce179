import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { PASSPORT_SETTINGS, type PassportSettings } from '../config';

/** Says that whoever holds it reads the mail of this address. */
export interface AddressProof {
  readonly userId: string;
  readonly email: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** Tokens of confirmation mails: signed, for one account, one address and a limited time. */
@Injectable()
export class ConfirmationTokens {
  private readonly key: Buffer;

  constructor(@Inject(PASSPORT_SETTINGS) { KEY_ENCRYPTION_KEY }: PassportSettings) {
    this.key = Buffer.from(hkdfSync('sha256', Buffer.from(KEY_ENCRYPTION_KEY, 'base64'), '', 'address confirmations', 32));
  }

  sign({ userId, email, expiresAt }: AddressProof): string {
    const payload = Buffer.from(JSON.stringify([userId, email, expiresAt])).toString('base64url');
    return `${payload}.${this.macOf(payload).toString('base64url')}`;
  }

  /** `undefined` for anything that was not signed here, and for what is too old. */
  read(token: string, now: number): AddressProof | undefined {
    const [payload = '', mac = ''] = token.split('.');
    const given = Buffer.from(mac, 'base64url');
    const expected = this.macOf(payload);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    const [userId, email, expiresAt] = JSON.parse(Buffer.from(payload, 'base64url').toString()) as [string, string, number];
    return expiresAt > now ? { userId, email, expiresAt } : undefined;
  }

  private macOf(payload: string): Buffer {
    return createHmac('sha256', this.key).update(payload).digest();
  }
}
