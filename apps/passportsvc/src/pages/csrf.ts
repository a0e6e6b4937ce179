import { createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SigningKeys } from '../signing-keys/signing-keys.service';

/** A token in each form that only its page has: bound to the sign-in under way, whose cookie is another site's to guess. */
@Injectable()
export class Csrf {
  constructor(private readonly keys: SigningKeys) {}

  tokenFor(signInId: string): string {
    return sign(this.keys.keys.cookieKeys[0] ?? '', signInId);
  }

  matches(token: unknown, signInId: string): boolean {
    if (typeof token !== 'string') return false;
    return this.keys.keys.cookieKeys.some((key) => isEqual(sign(key, signInId), token));
  }
}

const sign = (key: string, signInId: string) => createHmac('sha256', key).update(`csrf ${signInId}`).digest('base64url');

const isEqual = (one: string, other: string) => one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
