import { Stopwatch } from '../xml/stopwatch';
import { XmlFeed } from '../xml/xml-feed';
import { XlsxFault } from '../xlsx-fault';
import { XLSX_LIMITS, type XlsxLimits } from '../xlsx-limits';
import { PackageParts } from '../zip/package-parts';
import { readValueForms, type ValueForm } from './number-formats';
import { SharedTexts } from './shared-texts';
import { SheetReader } from './sheet-reader';
import { type Reading, readPart } from './small-part';
import type { XlsxRow } from './xlsx-cell';
import { readWorkbookParts, type SheetPart, type WorkbookParts } from './workbook-parts';

/** Rows that stand behind each other, as many as a chunk of the file holds. */
export interface SheetRows {
  readonly rows: readonly XlsxRow[];
  /** Ranges of merged cells that were met so far: the format has them behind the rows. */
  readonly merged: number;
}

/**
 * A workbook (ISO/IEC 29500, .xlsx) as rows of cells. The packed file is held, and its shared texts; a sheet passes by. What it may cost is bounded by `XlsxLimits`.
 */
export class XlsxWorkbook {
  private constructor(
    private readonly reading: Reading,
    private readonly parts: WorkbookParts,
    private readonly texts: SharedTexts,
    private readonly forms: readonly ValueForm[],
  ) {}

  /** @throws XlsxFault */
  static async open(bytes: Uint8Array, limits: XlsxLimits = XLSX_LIMITS): Promise<XlsxWorkbook> {
    const packed = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const reading: Reading = { parts: await PackageParts.open(packed, limits), limits, watch: new Stopwatch(limits.milliseconds) };
    const parts = await readWorkbookParts(reading);
    const texts = new SharedTexts(limits);
    if (parts.sharedStrings !== undefined) await readPart(reading, parts.sharedStrings, limits.partBytes, texts.reader());
    const forms = parts.styles === undefined ? [] : await readValueForms(reading, parts.styles);
    return new XlsxWorkbook(reading, parts, texts, forms);
  }

  /** In their order. */
  get sheets(): readonly Pick<SheetPart, 'name' | 'isHidden'>[] {
    return this.parts.sheets;
  }

  /** Of the sheet of that name, else of the first that is shown. @throws XlsxFault */
  async *rows(name?: string): AsyncGenerator<SheetRows, void> {
    const { limits, parts, watch } = this.reading;
    const sheet = this.sheetNamed(name);
    const { isFrom1904 } = this.parts;
    const reader = new SheetReader({ name: sheet.name, texts: this.texts, forms: this.forms, isFrom1904, cellLength: limits.cellLength, rowLength: limits.rowLength });
    const feed = new XmlFeed(sheet.part, reader);
    for await (const chunk of parts.read(sheet.part, limits.partBytes)) {
      watch.time(() => feed.take(chunk));
      yield { rows: reader.takeRows(), merged: reader.merged };
    }
    watch.time(() => feed.end());
    yield { rows: reader.takeRows(), merged: reader.merged };
  }

  /** The name as it is, else whatever case it is in: a workbook has no two that differ by that. */
  private sheetNamed(name: string | undefined): SheetPart {
    const { sheets } = this.parts;
    if (name === undefined) return sheets.find(({ isHidden }) => !isHidden) ?? (sheets[0] as SheetPart);
    const wanted = name.trim().toLowerCase();
    const found = sheets.find((sheet) => sheet.name === name) ?? sheets.find((sheet) => sheet.name.trim().toLowerCase() === wanted);
    if (found === undefined) throw new XlsxFault(`The workbook has no sheet ${JSON.stringify(name)}; it has ${sheets.slice(0, 20).map((sheet) => JSON.stringify(sheet.name)).join(', ')}`);
    return found;
  }
}
