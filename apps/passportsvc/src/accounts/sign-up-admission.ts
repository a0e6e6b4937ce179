import { Inject, Injectable } from '@nestjs/common';
import { forbidden, ServiceError } from '@twinyard/conventions';
import { PASSPORT_SETTINGS, type PassportSettings } from '../config';
import { AttemptLimit } from '../sessions/attempts/attempt-limit';
import { addressKey } from '../sessions/sign-in-throttle';
import { InvitedAddressesRepository } from './invited-addresses.repository';

/** Where a request about an account comes from. */
export interface SignUpOrigin {
  readonly address: string;
  readonly requestId: string;
}

/** Who may make an account (contract 1.2: "can be switched off or limited to invited addresses"), and how often. */
@Injectable()
export class SignUpAdmission {
  constructor(
    private readonly invited: InvitedAddressesRepository,
    private readonly attempts: AttemptLimit,
    @Inject(PASSPORT_SETTINGS) private readonly settings: PassportSettings,
  ) {}

  /** @throws ServiceError `forbidden` when sign-up is switched off, `too_many_requests` from an address that signs up too often. */
  async begin(address: string): Promise<void> {
    if (this.settings.SIGN_UP === 'off') throw forbidden('Sign-up is switched off here');
    const seconds = await this.attempts.take(`sign-up ${addressKey(address)}`, this.settings.SIGN_UPS_PER_MINUTE);
    if (seconds > 0) throw new ServiceError('too_many_requests', 'Too many sign-ups from this address', { retryAfter: seconds });
  }

  async admits(email: string): Promise<boolean> {
    return this.settings.SIGN_UP === 'open' || this.invited.has(email);
  }
}
