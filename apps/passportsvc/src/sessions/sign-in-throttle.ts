import { createHash } from 'node:crypto';
import { networkOf } from '@twinyard/service-kit';

/** The first four wrong passwords cost nothing; each one after them doubles the wait (contract 1.2). */
const FREE_FAILURES = 4;
const FIRST_WAIT_SECONDS = 1;
const LONGEST_WAIT_SECONDS = 300;
/** From one address also innocent people sign in, behind one router. */
const LONGEST_WAIT_OF_ADDRESS_SECONDS = 30;
const LONGEST_EXPONENT = 16;

export interface Failures {
  readonly key: string;
  readonly failures: number;
  /** By the database's clock, which all replicas share. */
  readonly secondsAgo: number;
}

/** What somebody typed may be a password in the wrong box, or of any length: a hash is neither. */
export const accountKey = (email: string) => `account:${createHash('sha256').update(email).digest('base64url')}`;
/** A browser in which the account's owner has signed in before. */
export const deviceKey = (deviceId: string) => `device:${deviceId}`;
export const addressKey = (address: string) => `address:${networkOf(address)}`;

/** Seconds until the next try; 0 when it may be made now. */
export function waitSeconds(history: readonly Failures[]): number {
  return Math.max(0, ...history.filter((one) => delayOf(one) > 0).map((one) => Math.ceil(delayOf(one) - one.secondsAgo)));
}

function delayOf({ key, failures }: Failures): number {
  if (failures <= FREE_FAILURES) return 0;
  const longest = key.startsWith('address:') ? LONGEST_WAIT_OF_ADDRESS_SECONDS : LONGEST_WAIT_SECONDS;
  return Math.min(FIRST_WAIT_SECONDS * 2 ** Math.min(failures - FREE_FAILURES - 1, LONGEST_EXPONENT), longest);
}
