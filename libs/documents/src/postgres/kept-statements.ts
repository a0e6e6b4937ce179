/** How long a connection lives. What it keeps planned is never older: tables grow, and a plan that was made for a small one would read all of a large one. */
export const CONNECTION_SECONDS = 60;

/** Of each the server keeps some kilobytes for each connection that ran it. */
const MOST = 64;
/** A filter may be long; where it is, planning is not what the statement costs. */
const LONGEST = 4_000;

/**
 * Names for statements that connections keep planned. To read a statement and to plan it takes the server longer than to find one document by it. A name goes to another
 * statement only when it has rested for as long as a connection lives, so that none keeps more than twice as many.
 */
export class KeptStatements {
  /** By text, the one that rests longest first. */
  private readonly kept = new Map<string, Kept>();
  private given = 0;

  constructor(private readonly most = MOST, private readonly now: () => number = () => performance.now()) {}

  /** Without one the statement is planned each time. */
  nameOf(text: string): string | undefined {
    const now = this.now();
    const known = this.kept.get(text);
    if (known !== undefined) {
      this.kept.delete(text);
      this.kept.set(text, { name: known.name, usedAt: now });
      return known.name;
    }
    if (text.length > LONGEST || !this.makeRoom(now)) return undefined;
    // A connection may still keep what had the last name of this place: names are not used again.
    const name = `kept_${(this.given += 1)}`;
    this.kept.set(text, { name, usedAt: now });
    return name;
  }

  private makeRoom(now: number): boolean {
    if (this.kept.size < this.most) return true;
    const [oldest] = this.kept;
    if (oldest === undefined || now - oldest[1].usedAt < CONNECTION_SECONDS * 1_000) return false;
    return this.kept.delete(oldest[0]);
  }
}

interface Kept {
  readonly name: string;
  readonly usedAt: number;
}
