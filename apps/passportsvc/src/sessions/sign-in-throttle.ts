/** The first four wrong passwords cost nothing; each one after them doubles the wait (contract 1.2). */
const FREE_FAILURES = 4;
const FIRST_WAIT_SECONDS = 1;
const LONGEST_WAIT_SECONDS = 300;
/** From one address also innocent people sign in, behind one router. */
const LONGEST_WAIT_OF_ADDRESS_SECONDS = 30;

export interface Failures {
  readonly key: string;
  readonly failures: number;
  readonly lastFailedAt: Date;
}

export const accountKey = (email: string) => `account:${email}`;
export const addressKey = (address: string) => `address:${address}`;

/** Seconds until the next try; 0 when it may be made now. */
export function waitSeconds(history: readonly Failures[], now: Date): number {
  return Math.max(0, ...history.map((one) => Math.ceil((one.lastFailedAt.getTime() + delayOf(one) * 1_000 - now.getTime()) / 1_000)));
}

function delayOf({ key, failures }: Failures): number {
  if (failures <= FREE_FAILURES) return 0;
  const longest = key.startsWith('address:') ? LONGEST_WAIT_OF_ADDRESS_SECONDS : LONGEST_WAIT_SECONDS;
  return Math.min(FIRST_WAIT_SECONDS * 2 ** (failures - FREE_FAILURES - 1), longest);
}
