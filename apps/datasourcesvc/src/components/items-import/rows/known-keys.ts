import { createHash } from 'node:crypto';

/** Which keys of a file have been met, by 48 bits of a hash each: a million of them weigh less than their texts. That two share one is most unlikely, and only told wrongly then. */
export class KnownKeys {
  private readonly seen = new Set<number>();

  /** Whether it was there already. */
  meet(key: string): boolean {
    const hash = createHash('sha1').update(key).digest().readUIntBE(0, 6);
    if (this.seen.has(hash)) return true;
    this.seen.add(hash);
    return false;
  }
}
