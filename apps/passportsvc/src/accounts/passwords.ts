import { availableParallelism } from 'node:os';
import { Injectable } from '@nestjs/common';
import { Algorithm, hash, verify } from '@node-rs/argon2';
import { type FieldIssue, ServiceError } from '@twinyard/conventions';
import { MetricsRegistry } from '@twinyard/service-kit';
import { isCommonPassword } from './common-passwords';

/** OWASP's second choice for argon2id: 19 MiB, two passes. */
const OPTIONS = { algorithm: 2 as Algorithm.Argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** How a hash that was made with these begins (PHC string format). */
const CURRENT = `$argon2id$v=19$m=${OPTIONS.memoryCost},t=${OPTIONS.timeCost},p=${OPTIONS.parallelism}$`;
/** Each runs on libuv's pool of four threads, whose others are for files and names, and leaves a core to the event loop where there are two. */
const AT_ONCE = Math.min(Math.max(availableParallelism() - 1, 1), 3);
const MAX_WAITING = 200;

export const PASSWORD_POLICY = { minLength: 8, maxLength: 128 } as const;

/** NIST SP 800-63B: a length, nothing that guessers try first, and no rules of composition. `email`: whose password it is to be. */
export function passwordIssues(password: string, field: string, email = ''): FieldIssue[] {
  const { minLength, maxLength } = PASSWORD_POLICY;
  const length = [...password].length;
  if (length < minLength) return [{ field, issue: `must have at least ${minLength} characters` }];
  if (length > maxLength) return [{ field, issue: `must have at most ${maxLength} characters` }];
  if (isCommonPassword(password)) return [{ field, issue: 'is one of the passwords that are tried first' }];
  if (isAddress(password, email)) return [{ field, issue: 'must not be the e-mail address' }];
  return [];
}

const isAddress = (password: string, email: string) => email !== '' && [email, email.split('@')[0]].some((part) => part?.toLowerCase() === password.trim().toLowerCase());

/** One character may be written in several ways; which one is the keyboard's choice and not the user's (NIST SP 800-63B). */
const normalized = (password: string) => password.normalize('NFKC');

/** Hashes and checks passwords, a few at a time, so that many sign-ins at once do not stop other requests. */
@Injectable()
export class Passwords {
  private running = 0;
  private readonly waiting: (() => void)[] = [];
  private readonly nobodys = hash('nobody has this password', OPTIONS);
  private readonly checks;

  constructor(metrics: MetricsRegistry) {
    this.checks = metrics.counter('password_checks_total', 'Passwords that were compared with a hash, or with the stand-in where there is no account');
    metrics.gauge('password_checks_waiting', 'Sign-ins and new passwords that wait for their turn', [], (gauge) => gauge.set(this.waiting.length));
  }

  async hash(password: string): Promise<string> {
    return this.inTurn(() => this.hashNow(password));
  }

  /** To be called `inTurn`. */
  hashNow(password: string): Promise<string> {
    return hash(normalized(password), OPTIONS);
  }

  /** Takes as long for an account that does not exist (`undefined`) as for one that does. To be called `inTurn`. */
  async matches(password: string, stored: string | null | undefined): Promise<boolean> {
    const reference = stored ?? (await this.nobodys);
    this.checks.inc();
    const matches = await verify(reference, normalized(password));
    return matches && stored !== null && stored !== undefined;
  }

  /** Whether a hash was made with other parameters than those of today. */
  isOutdated(stored: string): boolean {
    return !stored.startsWith(CURRENT);
  }

  /** Whatever belongs to a check of a password is done in the same turn, so that a hundred guesses at once are counted like any others. */
  async inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.running >= AT_ONCE) await this.wait();
    else this.running += 1;
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.running -= 1;
      else next();
    }
  }

  private wait(): Promise<void> {
    if (this.waiting.length >= MAX_WAITING) throw new ServiceError('unavailable', 'Too many sign-ins at once', { retryAfter: 2 });
    return new Promise((resolve) => this.waiting.push(resolve));
  }
}
