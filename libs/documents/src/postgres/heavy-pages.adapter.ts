import { FairShare } from '@twinyard/service-kit';
import type { JsonList, TargetedQuery, TextRow } from '../document-store';
import { MOST_READ } from '../heavy-answers';
import type { ParsedProjection } from '../projection';
import { documentsIn, projectList, toTextRow } from '../text-page';
import { tableOf } from './collection-catalogue.adapter';
import type { PgConnection } from './connection.adapter';
import { type PartRow, partStatement } from './page-statement';
import { Statement } from './statement';

/** Of it, what comes with the first question: far more than nearly all pages weigh. */
const LIGHT_PART = 8;

/** A document of a page that the first question left out: its id, its bytes as stored, and of a page of which not all stay its place (from 1) in its part. */
export type Remaining = readonly [id: string, bytes: number, place?: number];

/** What the first question gave of a page, or of a part of it. */
export interface LightList {
  readonly list: string;
  readonly rest: readonly Remaining[] | null;
  /** Documents of the page before this part. */
  readonly from?: number;
}

export interface HeavyList {
  readonly list: JsonList;
  /** Of those that the first question left out, how many came. */
  readonly more: number;
  readonly isCut: boolean;
  /** Where it is cut, of a page of which not all stay: how many lie before the first that is left out. */
  readonly passed: number;
}

/** What the answer holds already, and what of each document is wanted. */
interface Held {
  readonly weight: number;
  readonly projection: ParsedProjection | undefined;
}

/** What was read on, and the first for which there was no room. */
interface ReadOn {
  readonly bytes: number;
  readonly count: number;
  readonly left: Remaining | undefined;
}

type Take = (rows: readonly TextRow[]) => void;
/** The filter of a query of its partition, as the store compiles it. */
type Where = (statement: Statement, wanted: TargetedQuery) => Promise<string>;

const COMMA = Buffer.from(',');

/**
 * Pages that weigh more than comes at once: read on by ids, some megabytes at a time, until the answer is full. Two of them at a time, by tenants
 * that take turns, since reading takes the memory of some copies; what was read waits as UTF-8 to go out, and of what has begun to wait one tenant holds as much as
 * an answer at most (429). A document that has left the filter meanwhile does not come.
 */
export class HeavyPages {
  private readonly places: FairShare;

  constructor(private readonly connection: Pick<PgConnection, 'read'>, readonly answerBytes: number, private readonly where: Where) {
    this.places = new FairShare({ places: 2, share: 0.5, waiting: { requests: 1_000, bytes: answerBytes }, waitMs: 60_000 });
  }

  get lightBytes(): number {
    return Math.ceil(this.answerBytes / LIGHT_PART);
  }

  /** The parts one behind the other, as far as an answer goes. */
  async list(wanted: TargetedQuery, parts: readonly LightList[], projection: ParsedProjection | undefined): Promise<HeavyList> {
    const pieces: Buffer[] = [];
    const add = (text: string) => {
      if (text !== '') pieces.push(...(pieces.length === 0 ? [] : [COMMA]), Buffer.from(text));
    };
    let [weight, more] = [0, 0];
    const isFullWithout = (bytes: number) => pieces.length > 0 && bytes > 0 && weight + bytes > this.answerBytes;
    for (const { list, rest, from = 0 } of parts) {
      const text = projectList(list, projection);
      if (parts.length === 1 && rest === null) return { list: text, ...WHOLE };
      const bytes = Buffer.byteLength(text);
      if (isFullWithout(bytes)) return { list: pieces, more, isCut: true, passed: from };
      weight += bytes;
      add(text);
      if (rest === null) continue;
      const read = await this.read(wanted, rest, { weight, projection }, (rows) => add(rows.map((row) => row.text).join(',')));
      [weight, more] = [weight + read.bytes, more + read.count];
      if (read.left !== undefined) return { list: pieces, more, isCut: true, passed: from + passedBefore(read.left) };
    }
    return { ...WHOLE, list: pieces, more };
  }

  /** The same as rows. */
  async rest(wanted: TargetedQuery, remaining: readonly Remaining[], held: Held): Promise<{ readonly rows: readonly TextRow[]; readonly isCut: boolean }> {
    const rows: TextRow[] = [];
    const { left } = await this.read(wanted, remaining, held, (some) => {
      for (const row of some) rows.push(row);
    });
    return { rows, isCut: left !== undefined };
  }

  private read(wanted: TargetedQuery, remaining: readonly Remaining[], { weight, projection }: Held, take: Take): Promise<ReadOn> {
    const work = async (): Promise<ReadOn> => {
      let [bytes, count, at] = [0, 0, 0];
      let [toRead, share] = [MOST_READ * this.answerBytes, this.lightBytes];
      while (at < remaining.length && toRead > 0) {
        const part = await this.part(wanted, firstOf(remaining.slice(at), share), projection);
        const fitting = fittingOf(part.rows, this.answerBytes - weight - bytes);
        take(fitting.rows);
        [bytes, count] = [bytes + fitting.bytes, count + fitting.rows.length];
        if (fitting.next !== undefined) return { bytes, count, left: remaining[at + fitting.next] };
        // What is written at many times its stored bytes comes by smaller parts.
        if (part.isCut) share = bytesOf(remaining.slice(at, at + part.passed));
        [at, toRead] = [at + part.passed, toRead - part.bytes];
      }
      return { bytes, count, left: remaining[at] };
    };
    return this.places.run(wanted.tenant ?? wanted.target.name, work, Math.min(weight, this.answerBytes));
  }

  private async part(wanted: TargetedQuery, some: readonly Remaining[], projection: ParsedProjection | undefined): Promise<Part> {
    const statement = new Statement();
    const where = await this.where(statement, wanted);
    const sql = partStatement(statement, { table: tableOf(wanted.target.name), where, ids: some.map(([id]) => id), mostBytes: this.lightBytes });
    const [row] = await this.connection.read<PartRow>(sql, statement);
    const { ids, places, texts, leftAt } = row ?? NO_PART;
    const lines = ids.length === 0 ? [] : texts.split('\n');
    const shown = projection === undefined ? lines.map((text, n) => ({ id: ids[n] as string, text })) : documentsIn(lines.join(',')).map((document) => toTextRow(document, projection));
    const rows = shown.map((one, n) => ({ ...one, at: (places[n] as number) - 1 }));
    return { rows, bytes: Buffer.byteLength(texts), isCut: leftAt !== null, passed: leftAt === null ? some.length : leftAt - 1 };
  }
}

/** A row of a part, and where among those asked for it stands. */
interface PlacedRow extends TextRow {
  readonly at: number;
}

interface Part {
  /** In the order of the ids; some may be gone. */
  readonly rows: readonly PlacedRow[];
  /** Before a projection. */
  readonly bytes: number;
  readonly isCut: boolean;
  /** Of those asked for, how many are done with. */
  readonly passed: number;
}

const WHOLE = { more: 0, isCut: false, passed: 0 } as const;
const NO_PART: PartRow = { ids: [], places: [], texts: '', leftAt: null };

const passedBefore = ([, , place = 1]: Remaining) => place - 1;

const bytesOf = (some: readonly Remaining[]) => some.reduce((sum, [, bytes]) => sum + bytes, 0);

/** One at least. */
function firstOf(remaining: readonly Remaining[], most: number): readonly Remaining[] {
  let bytes = 0;
  const end = remaining.findIndex(([, weight], place) => (bytes += weight) > most && place > 0);
  return end === -1 ? remaining : remaining.slice(0, end);
}

/** Those for which there is room, and where the first of the others stands. */
function fittingOf(rows: readonly PlacedRow[], room: number): { readonly rows: readonly TextRow[]; readonly bytes: number; readonly next: number | undefined } {
  let bytes = 0;
  for (const [place, { at, text }] of rows.entries()) {
    const weight = Buffer.byteLength(text);
    if (bytes + weight > room) return { rows: rows.slice(0, place), bytes, next: at };
    bytes += weight;
  }
  return { rows, bytes, next: undefined };
}
