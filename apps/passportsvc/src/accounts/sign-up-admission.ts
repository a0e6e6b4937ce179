import { Inject, Injectable } from '@nestjs/common';
import { forbidden, ServiceError } from '@twinyard/conventions';
import { PASSPORT_SETTINGS, type PassportSettings } from '../config';
import { InvitedAddressesRepository } from './invited-addresses.repository';
import { RecentSignUps } from './recent-sign-ups';

/** Where a request about an account comes from. */
export interface SignUpOrigin {
  readonly address: string;
  readonly requestId: string;
}

/** Who may make an account (contract 1.2: "can be switched off or limited to invited addresses"), and how often. */
@Injectable()
export class SignUpAdmission {
  private readonly recent: RecentSignUps;

  constructor(
    private readonly invited: InvitedAddressesRepository,
    @Inject(PASSPORT_SETTINGS) private readonly settings: PassportSettings,
  ) {
    this.recent = new RecentSignUps(settings.SIGN_UPS_PER_MINUTE);
  }

  /** @throws ServiceError `forbidden` when sign-up is switched off, `too_many_requests` from an address that signs up too often. */
  begin(address: string): void {
    if (this.settings.SIGN_UP === 'off') throw forbidden('Sign-up is switched off here');
    const seconds = this.recent.add(address, Date.now());
    if (seconds > 0) throw new ServiceError('too_many_requests', 'Too many sign-ups from this address', { retryAfter: seconds });
  }

  async admits(email: string): Promise<boolean> {
    return this.settings.SIGN_UP === 'open' || this.invited.has(email);
  }
}
