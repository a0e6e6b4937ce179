import { ZERO } from './tokens/bytes';

/** Numbers up to here stay as they are. Above, entities are numbered anew: parsers keep a number in 32 bits, and files have them up to 2^63. */
const KEPT = 2 ** 27;

/** How numbers of entities are read, and who hears of those that are referred to. */
export type Numbering = Pick<EntityNumbers, 'read' | 'isLarge' | 'refer'>;

/** Which numbers a file gives to entities and which it refers to. */
export class EntityNumbers {
  private readonly defined = new Bits();
  private readonly referred = new Bits();
  private readonly anew = new Map<string, number>();
  private readonly written: string[] = [];

  /** Of the digits; large ones are numbered anew, each number of the file by one of its own. */
  read(file: Buffer, start: number, end: number): number {
    let number = 0;
    for (let at = start; at < end && number < KEPT; at++) number = number * 10 + (file[at] as number) - ZERO;
    return number < KEPT ? number : this.replaced(file.toString('latin1', start, end).replace(/^0+/, ''));
  }

  isLarge(number: number): boolean {
    return number >= KEPT;
  }

  /** False when it is defined already. */
  define(number: number): boolean {
    return this.defined.add(number);
  }

  isDefined(number: number): boolean {
    return this.defined.has(number);
  }

  /** All that are defined. */
  all(): number[] {
    return this.defined.all();
  }

  refer(number: number): void {
    this.referred.add(number);
  }

  hasDangling(): boolean {
    return this.referred.hasMoreThan(this.defined);
  }

  /** As the file writes it: a text where a double would skip numbers. */
  asWritten(number: number): number | string {
    const text = this.written[number - KEPT];
    if (text === undefined) return number;
    const value = Number(text);
    return Number.isSafeInteger(value) ? value : text;
  }

  private replaced(digits: string): number {
    const known = this.anew.get(digits);
    if (known !== undefined) return known;
    const number = KEPT + this.written.push(digits) - 1;
    this.anew.set(digits, number);
    return number;
  }
}

/** A set of numbers that lie close together. */
class Bits {
  private words = new Uint32Array(1_024);

  /** False when it is in already. */
  add(number: number): boolean {
    const word = number >>> 5;
    if (word >= this.words.length) this.grow(word);
    const [bit, before] = [1 << (number & 31), this.words[word] as number];
    this.words[word] = before | bit;
    return (before & bit) === 0;
  }

  has(number: number): boolean {
    return ((this.words[number >>> 5] ?? 0) & (1 << (number & 31))) !== 0;
  }

  /** Whether a number is in it that is not in the other. */
  hasMoreThan(other: Bits): boolean {
    return this.words.some((word, at) => (word & ~(other.words[at] ?? 0)) !== 0);
  }

  all(): number[] {
    const all: number[] = [];
    this.words.forEach((word, at) => {
      for (let bit = 0; bit < 32; bit++) if ((word >>> bit) & 1) all.push(at * 32 + bit);
    });
    return all;
  }

  private grow(word: number): void {
    const larger = new Uint32Array(2 ** Math.ceil(Math.log2(word + 1)));
    larger.set(this.words);
    this.words = larger;
  }
}
