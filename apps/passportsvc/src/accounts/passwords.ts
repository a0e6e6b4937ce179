import { Injectable } from '@nestjs/common';
import { Algorithm, hash, verify } from '@node-rs/argon2';
import { type FieldIssue, ServiceError } from '@twinyard/conventions';

/** OWASP's second choice for argon2id: 19 MiB, two passes. */
const OPTIONS = { algorithm: 2 as Algorithm.Argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** Each runs on libuv's pool of four threads; the others are for files and names. */
const AT_ONCE = 2;
const MAX_WAITING = 200;

export const PASSWORD_POLICY = { minLength: 8, maxLength: 128 } as const;

export function passwordIssues(password: string, field: string): FieldIssue[] {
  const { minLength, maxLength } = PASSWORD_POLICY;
  const length = [...password].length;
  if (length < minLength) return [{ field, issue: `must have at least ${minLength} characters` }];
  if (length > maxLength) return [{ field, issue: `must have at most ${maxLength} characters` }];
  return [];
}

/** Hashes and checks passwords, a few at a time, so that many sign-ins at once do not stop other requests. */
@Injectable()
export class Passwords {
  private running = 0;
  private readonly waiting: (() => void)[] = [];
  private readonly nobodys = hash('nobody has this password', OPTIONS);

  async hash(password: string): Promise<string> {
    return this.inTurn(() => hash(password, OPTIONS));
  }

  /** Takes as long for an account that does not exist (`undefined`) as for one that does. To be called `inTurn`. */
  async matches(password: string, stored: string | null | undefined): Promise<boolean> {
    const reference = stored ?? (await this.nobodys);
    const matches = await verify(reference, password);
    return matches && stored !== null && stored !== undefined;
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
