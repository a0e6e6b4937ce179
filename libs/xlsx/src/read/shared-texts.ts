import { XlsxFault } from '../xlsx-fault';
import { megabytes, type XlsxLimits } from '../xlsx-limits';
import { unescaped } from '../xml/cell-text';
import type { XmlReader } from '../xml/xml-feed';

type Limits = Pick<XlsxLimits, 'sharedBytes' | 'sharedTexts' | 'cellLength'>;

/** The texts that cells share, one behind the other as UTF-8: as many objects would weigh several times as much. */
export class SharedTexts {
  private bytes = Buffer.alloc(65_536);
  /** Where each ends. */
  private ends = new Uint32Array(4_096);
  private count = 0;

  constructor(private readonly limits: Limits) {}

  add(text: string): void {
    const { sharedBytes, sharedTexts } = this.limits;
    const from = this.endOf(this.count - 1);
    const to = from + Buffer.byteLength(text);
    if (to > sharedBytes) throw new XlsxFault(`The texts of the workbook have more than the ${megabytes(sharedBytes)} that are read at most`);
    if (this.count === sharedTexts) throw new XlsxFault(`The workbook has more than the ${sharedTexts} texts that are read at most`);
    this.makeRoom(to);
    this.bytes.write(text, from);
    this.ends[this.count] = to;
    this.count += 1;
  }

  at(index: number): string | undefined {
    if (!Number.isInteger(index) || index < 0 || index >= this.count) return undefined;
    return this.bytes.toString('utf8', this.endOf(index - 1), this.endOf(index));
  }

  /** For the part that holds them. */
  reader(): XmlReader {
    return new TextReader('si', this.limits.cellLength, (text) => this.add(text));
  }

  private endOf(index: number): number {
    return index < 0 ? 0 : (this.ends[index] as number);
  }

  private makeRoom(bytes: number): void {
    if (bytes > this.bytes.length) this.bytes = Buffer.concat([this.bytes], Math.max(bytes, Math.min(this.bytes.length * 2, this.limits.sharedBytes)));
    if (this.count < this.ends.length) return;
    const longer = new Uint32Array(this.ends.length * 2);
    longer.set(this.ends);
    this.ends = longer;
  }
}

/** Puts a text together from its runs (`<si><t>`, `<is><r><t>`). What says how it is pronounced (`<rPh>`) is no part of it. */
export class TextReader implements XmlReader {
  private pieces: string[] = [];
  private length = 0;
  private isIn = false;
  private isText = false;
  private isSound = false;

  constructor(private readonly element: string, private readonly maxLength: number, private readonly take: (text: string) => void) {}

  open(name: string): void {
    if (name === this.element) [this.pieces, this.length, this.isIn] = [[], 0, true];
    if (name === 'rPh') this.isSound = true;
    this.isText = this.isIn && !this.isSound && name === 't';
  }

  text(text: string): void {
    if (!this.isText) return;
    this.length += text.length;
    if (this.length > this.maxLength) throw new XlsxFault(`A text of the workbook has more than ${this.maxLength} characters`);
    this.pieces.push(text);
  }

  close(name: string): void {
    if (name === 't') this.isText = false;
    if (name === 'rPh') this.isSound = false;
    if (name !== this.element || !this.isIn) return;
    this.isIn = false;
    this.take(unescaped(this.pieces.join('')));
  }
}
