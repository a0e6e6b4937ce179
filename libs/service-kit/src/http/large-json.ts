import { invalidField, MAX_BODY_LEVELS, Turn } from '@twinyard/conventions';

/** Characters that are looked at, or read, before anybody else may have a turn: a few milliseconds. */
const STEP = 128 * 1024;

const BACKSLASH = 92;
const [QUOTE, COMMA, COLON, OPENING, CLOSING] = [1, 2, 3, 4, 5];
/** What a character means outside of strings, by its code. */
const MEANINGS = new Uint8Array(128);
for (const [meaning, characters] of [[QUOTE, '"'], [COMMA, ','], [COLON, ':'], [OPENING, '[{'], [CLOSING, ']}']] as const) {
  for (const character of characters) MEANINGS[character.charCodeAt(0)] = meaning;
}

/** With the white space that JSON knows, and no other. */
const [BEGIN_OF_LIST, END_OF_LIST, NOTHING] = [/^[ \t\n\r]*\[/, /^\][ \t\n\r]*$/, /^[ \t\n\r]*$/];

type ReadPart = (part: string, before: number) => unknown;

/**
 * Reads JSON of megabytes in turns of a few milliseconds, so that others are answered meanwhile. A list is read some entries at a time, of which
 * `read` is given each as a list of its own and how many came before. Its errors are those of the whole. `mostMembers`: of one object.
 * Source of the grammar: RFC 8259.
 */
export async function readLargeJson(text: string, read: ReadPart, mostMembers = Number.POSITIVE_INFINITY): Promise<unknown> {
  const scan = new Scan(text, mostMembers);
  if (BEGIN_OF_LIST.test(text)) return (await readEntries(text, scan, read)) ?? read(text, 0);
  await scan.toEnd();
  return read(text, 0);
}

/** Nothing where the text is not JSON: the whole says how. */
async function readEntries(text: string, scan: Scan, read: ReadPart): Promise<unknown[] | undefined> {
  const entries: unknown[] = [];
  const turn = new Turn();
  for (let start = text.indexOf('[') + 1; ;) {
    const end = await scan.entriesEnd();
    const part = text.slice(start, end);
    // A list may be empty, but nothing stands before or behind a comma.
    if (NOTHING.test(part) && !(scan.isAtEnd && entries.length === 0)) return undefined;
    if (scan.isAtEnd ? !END_OF_LIST.test(text.slice(end)) : end === text.length) return undefined;
    for (const entry of read(`[${part}]`, entries.length) as unknown[]) entries.push(entry);
    if (scan.isAtEnd) return entries;
    start = end + 1;
    if (turn.isOver) await turn.pass();
  }
}

/** Goes through a text of JSON, counts the members of each object, and finds where entries of the outermost list end. */
class Scan {
  /** Whether the outermost value has ended. */
  isAtEnd = false;
  private at = 0;
  /** Of the character before. */
  private meaning = 0;
  /** Of each object and list that is open, how many members it has. */
  private readonly members: number[] = [];
  private readonly turn = new Turn();

  constructor(private readonly text: string, private readonly mostMembers: number) {}

  /** Of the outermost value: what stands behind it, where nothing may, is for who reads the text. */
  async toEnd(): Promise<void> {
    while (!this.isAtEnd && this.at < this.text.length) {
      await this.entriesEnd();
      if (this.turn.isOver) await this.turn.pass();
    }
  }

  /** Where the entry ends that stands about a step further on; the length of the text where nothing ends. */
  async entriesEnd(): Promise<number> {
    const wanted = this.at + STEP;
    let looked = this.at;
    while (this.next()) {
      if (this.endsEntry() && (this.isAtEnd || this.at >= wanted)) return this.at - 1;
      if (this.at - looked < STEP) continue;
      looked = this.at;
      if (this.turn.isOver) await this.turn.pass();
    }
    return this.text.length;
  }

  /** To behind the next string, or the next character that means something and stands in none. */
  private next(): boolean {
    const found = this.find();
    const isFound = found < this.text.length;
    if (isFound && this.meaning === QUOTE) this.at = this.stringEnd(found) + 1;
    else this.at = isFound ? found + 1 : found;
    return isFound;
  }

  private find(): number {
    for (let place = this.at; place < this.text.length; place += 1) {
      const meaning = MEANINGS[this.text.charCodeAt(place)];
      if (meaning === undefined || meaning === 0) continue;
      this.meaning = meaning;
      return place;
    }
    return this.text.length;
  }

  private stringEnd(begin: number): number {
    let end = this.text.indexOf('"', begin + 1);
    while (end !== -1 && this.isEscaped(end)) end = this.text.indexOf('"', end + 1);
    return end === -1 ? this.text.length : end;
  }

  private isEscaped(quote: number): boolean {
    let first = quote;
    while (this.text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
    return (quote - first) % 2 === 1;
  }

  /** Takes the character before into account. Whether it ends an entry of the outermost list. */
  private endsEntry(): boolean {
    const depth = this.members.length;
    if (this.meaning === COMMA) return depth === 1;
    if (this.meaning === COLON) this.count();
    if (this.meaning === OPENING) this.open();
    if (this.meaning !== CLOSING) return false;
    this.members.pop();
    this.isAtEnd = depth <= 1;
    return this.isAtEnd;
  }

  private open(): void {
    this.members.push(0);
    if (this.members.length > MAX_BODY_LEVELS) throw invalidField('body', `is nested deeper than ${MAX_BODY_LEVELS} levels`);
  }

  private count(): void {
    const last = this.members.length - 1;
    const members = (this.members[last] ?? 0) + 1;
    this.members[last] = members;
    if (members > this.mostMembers) throw invalidField('body', `holds an object of more than ${this.mostMembers} members`);
  }
}
