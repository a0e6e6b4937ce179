import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ClientSecrets } from '../clients/client-secrets';

const COOKIE = 'passport_upstream';
const COOKIE_PATH = '/passportsvc/sign-in';
const COOKIE_SECONDS = 3_600;
const FORM = /^[\w-]{43}$/;

/** What is kept of `state` and of the browser's cookie. */
export const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('base64url');

/** The nonce and the PKCE verifier of a sign-in follow from its state, under a key that only we have: so they need not be kept anywhere. */
@Injectable()
export class UpstreamStates {
  constructor(private readonly secrets: ClientSecrets) {}

  newState = (): string => randomBytes(32).toString('base64url');
  nonceOf = (state: string): string => this.secrets.hash(`upstream nonce:${state}`);
  verifierOf = (state: string): string => this.secrets.hash(`upstream verifier:${state}`);

  /** For the link of a mail: good for this sign-in and this account, as long as there is the sign-in. */
  linkToken = (attemptId: string, userId: string): string => this.secrets.hash(`upstream link:${attemptId}:${userId}`);

  isLinkToken(token: string, attemptId: string, userId: string): boolean {
    const [given, expected] = [Buffer.from(token), Buffer.from(this.linkToken(attemptId, userId))];
    return given.length === expected.length && timingSafeEqual(given, expected);
  }
}

/** The browser that a sign-in was begun in; one cookie for all of its tabs. */
export function browserOf(cookies: string | undefined): string | undefined {
  const value = cookies?.split(';').map((pair) => pair.trim().split('=')).find(([name]) => name === COOKIE)?.[1];
  return value !== undefined && FORM.test(value) ? value : undefined;
}

export const newBrowser = (): string => randomBytes(32).toString('base64url');

/** Lax: it has to come along when the issuer sends the browser back. */
export const browserCookie = (browser: string, isSecure: boolean): string =>
  `${COOKIE}=${browser}; Path=${COOKIE_PATH}; Max-Age=${COOKIE_SECONDS}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
