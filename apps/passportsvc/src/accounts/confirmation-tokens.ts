import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ClientSecrets } from '../clients/client-secrets';

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
  constructor(private readonly secrets: ClientSecrets) {}

  sign({ userId, email, expiresAt }: AddressProof): string {
    const payload = Buffer.from(JSON.stringify([userId, email, expiresAt])).toString('base64url');
    return `${payload}.${this.macOf(payload)}`;
  }

  /** `undefined` for anything that was not signed here, and for what is too old. */
  read(token: string, now: number): AddressProof | undefined {
    const [payload = '', mac = ''] = token.split('.');
    const given = Buffer.from(mac);
    const expected = Buffer.from(this.macOf(payload));
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    const [userId, email, expiresAt] = JSON.parse(Buffer.from(payload, 'base64url').toString()) as [string, string, number];
    return expiresAt > now ? { userId, email, expiresAt } : undefined;
  }

  /** Under the kept key of client secrets; a secret holds no colon, so the two cannot be taken for each other. */
  private macOf(payload: string): string {
    return this.secrets.hash(`address confirmation:${payload}`);
  }
}
