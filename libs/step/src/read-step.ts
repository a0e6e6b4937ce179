import { HASH, SEMICOLON } from './tokens/bytes';
import { EntityNames, type NameUse } from './entity-names';
import { EntityNumbers } from './entity-numbers';
import { type FaultKind, FaultList, type FaultPlace, type Faults, LineNumbers } from './faults';
import { MendedCopy } from './mended-copy';
import { NextStatement } from './next-statement';
import { BROKEN } from './tokens/parameter-list';
import { NO_VALUE, type Statement, Statements } from './statements';
import { EDGE, END, START } from './structure-fault';
import { toUtf8 } from './utf8';

/** A file that is broken in so many places, each far from its end, that looking for them would never end. */
export class TooDamaged extends Error {}

/** An exchange structure as a parser can take it, and what had to be done for that. */
export interface StepReading {
  /** Every statement whole, words in upper case, numbers of entities below 2^31. The bytes that were given, where they are so already. */
  readonly bytes: Buffer;
  /** How many entities the file has: each `#n=`, also those that are left out. */
  readonly entities: number;
  /** Of the entities that are not left out: their names in upper case. */
  readonly names: readonly NameUse[];
  readonly faults: ReadonlyMap<FaultKind, Faults>;
  /** Of the entities that are not left out, as `bytes` has them. These two hold nothing of the file. */
  numbers(): number[];
  /** The number that the file gives to an entity, by the one that it has in `bytes`; a text above 2^53. */
  numberOf(entity: number): number | string;
  placesOf(name: NameUse): FaultPlace[];
  /** Of an entity in `bytes`; looks through them. */
  placeOf(entity: number): FaultPlace;
}

/** Of the bytes that are read in vain, at most so many times the file's. */
const MAX_VAIN = 4;

/**
 * Reads a clear text encoding of an exchange structure (ISO 10303-21, 4th edition) token by token, as leniently as is safe: a bad entity is left out
 * and costs its neighbours nothing.
 * @param noNumber what parsers get for `nan` and its like
 * @throws TooDamaged
 */
export function readStep(file: Uint8Array, noNumber = NO_VALUE): StepReading {
  return new StepReader(file, noNumber).read();
}

class StepReader {
  private readonly faults = new FaultList();
  private readonly names = new EntityNames();
  private readonly numbers = new EntityNumbers();
  private readonly file: Buffer;
  private readonly copy: MendedCopy;
  private readonly lines: LineNumbers;
  private readonly statements: Statements;
  private readonly next: NextStatement;
  private end: number;
  private entities = 0;
  private vain = 0;

  constructor(bytes: Uint8Array, noNumber: string) {
    this.file = toUtf8(bytes, (line) => this.faults.add('encoding', () => ({ entity: 'text', line })));
    this.end = this.file.length;
    this.copy = new MendedCopy(this.file);
    this.lines = new LineNumbers(this.file);
    this.statements = new Statements(this.file, this.numbers, noNumber);
    this.next = new NextStatement(this.file);
  }

  read(): StepReading {
    for (let at = startOf(this.file); at < this.end; at = this.start(at)) at = this.statement(at);
    const bytes = this.copy.bytes();
    if (this.numbers.hasDangling()) this.findDangling(bytes);
    return {
      bytes, entities: this.entities, names: this.names.all(), faults: this.faults.all(), ...numbersOf(this.numbers),
      placeOf: (entity) => placeOfEntity(bytes, entity, this.numbers.asWritten(entity)),
      placesOf: ({ starts }) => starts.map((start) => this.place(start)),
    };
  }

  private start(from: number): number {
    let at = this.statements.parameters.skip(from);
    while (this.file[at] === SEMICOLON) at = this.statements.parameters.skip(at + 1);
    return at;
  }

  /** Takes over the statement that begins here, or leaves it out; the position behind it. */
  private statement(start: number): number {
    const statement = this.statements.read(start, () => this.next.after(start));
    if (this.file[start] === HASH) this.entities += 1;
    if (statement.end === BROKEN) return this.leaveOut('unreadable', start, this.nextAfterBroken(start));
    const { number, name } = statement;
    if (number !== undefined) {
      if (!this.numbers.define(number)) return this.leaveOut('twice', start, statement.end);
      this.names.add(this.file, name, start);
    }
    this.take(statement);
    if (number === undefined && isEnd(this.file, start)) this.finish(statement.end);
    return statement.end;
  }

  /** What follows the end is not the parser's. */
  private finish(end: number): void {
    this.end = end;
    if (this.statements.parameters.skip(end) < this.file.length) this.copy.blank(end, this.file.length);
  }

  private take({ start }: Statement): void {
    const { replacements, faults } = this.statements.mends;
    for (const { start: from, end, text } of replacements) this.copy.replace(from, end, text);
    for (const kind of faults) this.faults.add(kind, () => this.place(start));
  }

  private leaveOut(kind: FaultKind, start: number, end: number): number {
    this.faults.add(kind, () => this.place(start));
    this.copy.blank(start, end);
    return end;
  }

  private nextAfterBroken(start: number): number {
    const next = this.next.after(start);
    this.vain += Math.max(0, this.statements.parameters.reached - next);
    if (this.vain > MAX_VAIN * this.file.length) throw new TooDamaged('too many entities are broken');
    return next;
  }

  private place(start: number): FaultPlace {
    return { entity: entityAt(this.file, start), line: this.lines.of(start) };
  }

  /** Once more through what was taken over, which is whole. */
  private findDangling(bytes: Buffer): void {
    const lines = new LineNumbers(bytes);
    let start = 0;
    const refer = (number: number) => {
      if (this.numbers.isDefined(number)) return;
      this.faults.add('dangling', () => ({ entity: `${entityAt(bytes, start)} (#${this.numbers.asWritten(number)})`, line: lines.of(start) }));
    };
    const statements = new Statements(bytes, { read: (file, from, end) => Number(file.toString('latin1', from, end)), isLarge: () => false, refer });
    for (;;) {
      start = statements.parameters.skip(start);
      if (start >= bytes.length) return;
      start = Math.max(statements.read(start, () => bytes.length).end, start + 1);
    }
  }
}

/** Hold nothing of the file: whoever keeps them need not keep that. */
const numbersOf = (all: EntityNumbers): Pick<StepReading, 'numbers' | 'numberOf'> => ({ numbers: () => all.all(), numberOf: (entity) => all.asWritten(entity) });

/** Where an entity is defined that has this number in these bytes; looks through them. `shown`: its number in what is told. */
export function placeOfEntity(file: Uint8Array, number: number | string, shown = number): FaultPlace {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const [mark, name] = [`#${number}`, `#${shown}`];
  let at = bytes.indexOf(mark);
  while (at >= 0 && !isDefinition(bytes, at + mark.length)) at = bytes.indexOf(mark, at + 1);
  if (at < 0) return { entity: name, line: 0 };
  return { entity: entityAt(bytes, at).replace(mark, name), line: new LineNumbers(bytes).of(at) };
}

/** Behind a byte order mark and whatever else programs put there. */
const startOf = (file: Buffer) => Math.max(0, file.subarray(0, EDGE).toString('latin1').toUpperCase().indexOf(START));

const isEnd = (file: Buffer, start: number) => file.toString('latin1', start, start + END.length).toUpperCase() === END;

const isDefinition = (bytes: Buffer, at: number) => /^\s*=/.test(bytes.toString('latin1', at, at + 80));

/** `#12=IFCWALL`; where no entity stands, the first bytes of what does. */
function entityAt(file: Buffer, start: number): string {
  const text = file.toString('latin1', start, start + 80);
  const entity = /^(#\d+)\s*=\s*([\w-]*)/.exec(text);
  return entity ? `${entity[1]}=${entity[2]?.toUpperCase()}` : JSON.stringify(text.slice(0, 20));
}
