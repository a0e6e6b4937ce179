import { mailboxOf } from '@twinyard/conventions';

/** Who somebody is by an issuer's word. */
export interface UpstreamProfile {
  /** Names somebody at the issuer, for ever (OpenID Connect Core section 2). */
  readonly subject: string;
  /** In the form that accounts have them; absent when the issuer gave none that is one. */
  readonly email?: string;
  readonly emailVerified: boolean;
  readonly firstname: string;
  readonly lastname: string;
  readonly locale: string | null;
}

export type Claims = Readonly<Record<string, unknown>>;

const LOCALE = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/;
const [MAX_NAME, MAX_SUBJECT, MAX_LOCALE] = [128, 255, 35];

/** `undefined` when the subject is none: at most 255 characters of ASCII. */
export function toProfile(claims: Claims): UpstreamProfile | undefined {
  const { sub } = claims;
  if (typeof sub !== 'string' || sub === '' || sub.length > MAX_SUBJECT || !/^[\x20-\x7E]+$/.test(sub)) return undefined;
  const email = addressOf(claims['email']);
  return { subject: sub, ...(email !== undefined && { email }), emailVerified: email !== undefined && isTrue(claims['email_verified']), ...namesOf(claims), locale: localeOf(claims['locale']) };
}

const addressOf = (claim: unknown): string | undefined => (typeof claim === 'string' ? mailboxOf(claim) : undefined);

/** Some issuers write it as a text. */
const isTrue = (claim: unknown) => claim === true || claim === 'true';

function namesOf(claims: Claims): { readonly firstname: string; readonly lastname: string } {
  const [given, family, whole] = [nameOf(claims['given_name']), nameOf(claims['family_name']), nameOf(claims['name'])];
  if (given !== '' || family !== '') return { firstname: given, lastname: family };
  const cut = whole.lastIndexOf(' ');
  return cut < 0 ? { firstname: whole, lastname: '' } : { firstname: whole.slice(0, cut), lastname: whole.slice(cut + 1) };
}

const nameOf = (claim: unknown): string => (typeof claim === 'string' ? claim.toWellFormed().replace(/\p{Cc}/gu, '').trim().slice(0, MAX_NAME).toWellFormed() : '');

const localeOf = (claim: unknown): string | null => {
  const tag = typeof claim === 'string' ? claim.replaceAll('_', '-') : '';
  return tag.length <= MAX_LOCALE && LOCALE.test(tag) ? tag : null;
};
