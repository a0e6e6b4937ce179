import { createHash, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { newUuid } from '@twinyard/conventions';
import { ClientSecrets } from '../clients/client-secrets';
import { PASSPORT_SETTINGS, type PassportSettings } from '../config';

const NAME = 'passport_device';
const YEAR_SECONDS = 31_536_000;

/**
 * Browsers in which an account's owner has signed in before, by a signed cookie that names account and browser (OWASP "device
 * cookies"). Wrong passwords from elsewhere slow everybody else down, and not the owner: nobody can be locked out by a stranger.
 * The cookie opens nothing.
 */
@Injectable()
export class KnownDevices {
  constructor(
    private readonly secrets: ClientSecrets,
    @Inject(PASSPORT_SETTINGS) private readonly settings: PassportSettings,
  ) {}

  /** Which known browser of this account a request comes from. */
  find(cookies: string | undefined, email: string): string | undefined {
    const value = new RegExp(`(?:^|; *)${NAME}=([\\w-]+)\\.([\\w-]+)`).exec(cookies ?? '');
    const [, deviceId = '', mac = ''] = value ?? [];
    return deviceId !== '' && isEqual(mac, this.macOf(deviceId, email)) ? deviceId : undefined;
  }

  /** `Set-Cookie` after a sign-in. */
  cookieFor(email: string): string {
    const deviceId = newUuid();
    const secure = this.settings.BASE_URL.startsWith('https:') ? '; Secure' : '';
    return `${NAME}=${deviceId}.${this.macOf(deviceId, email)}; Path=/passportsvc; Max-Age=${YEAR_SECONDS}; HttpOnly; SameSite=Lax${secure}`;
  }

  private macOf(deviceId: string, email: string): string {
    return this.secrets.hash(`known device:${deviceId}:${createHash('sha256').update(email).digest('base64url')}`);
  }
}

const isEqual = (one: string, other: string) => one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
