import { Injectable } from '@nestjs/common';
import { SignedTokens } from './signed-tokens';

const PURPOSE = 'address confirmation';

/** Says that whoever holds it reads the mail of this address. */
export interface AddressProof {
  readonly userId: string;
  readonly email: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  /** The sign-in under way in which the account was made. */
  readonly signInId?: string | undefined;
}

/** Tokens of confirmation mails: for one account, one address and a limited time. */
@Injectable()
export class ConfirmationTokens {
  constructor(private readonly tokens: SignedTokens) {}

  sign({ userId, email, expiresAt, signInId = '' }: AddressProof): string {
    return this.tokens.sign(PURPOSE, [userId, email, expiresAt, signInId]);
  }

  /** `undefined` for anything that was not signed here, and for what is too old. */
  read(token: string, now: number): AddressProof | undefined {
    const [userId = '', email = '', expiresAt = 0, signInId = ''] = this.tokens.read(PURPOSE, token) ?? [];
    if (Number(expiresAt) <= now) return undefined;
    return { userId: String(userId), email: String(email), expiresAt: Number(expiresAt), ...(signInId !== '' && { signInId: String(signInId) }) };
  }
}
