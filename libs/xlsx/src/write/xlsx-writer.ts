import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { columnName } from '../read/xlsx-cell';
import { escaped } from '../xml/cell-text';
import { XlsxFault } from '../xlsx-fault';
import { MAX_COLUMNS, MAX_ROWS } from '../xlsx-limits';
import { PARTS, SHEET_PART, WORKBOOK_PART, workbookXml } from './workbook-xml';

export type WrittenCell = string | number | boolean | null | undefined;

export interface WrittenSheet {
  readonly name: string;
  /** The first row: it stays in sight. Without one there are rows alone. */
  readonly header: readonly string[] | undefined;
  /** The others, as many at a time as there are. */
  readonly rows: AsyncIterable<readonly (readonly WrittenCell[])[]>;
}

/** What a cell holds at most; a spreadsheet takes a longer one for damage. */
const MAX_TEXT = 32_767;
/** What spreadsheets take for a formula when somebody edits the cell. A text is none by its type; its style keeps it one. */
const FORMULA = /^[=+\-@\t\r]/;
const [FORMULA_STYLE, HEADER_STYLE] = [1, 2];
const EPOCH = new Date(Date.UTC(1980, 0, 1));

/** A workbook of one sheet, as its bytes are asked for. Nothing but a few rows is held. @throws XlsxFault for what no workbook holds. */
export async function* writeXlsx(sheet: WrittenSheet): AsyncGenerator<Buffer, void> {
  const zip = new ZipFile();
  const out = zip.outputStream as Readable;
  const content = Readable.from(sheetXml(sheet), { objectMode: false });
  // The ZIP would wait for ever for the rest of a content that has failed.
  for (const source of [zip, content]) source.on('error', (error: Error) => out.destroy(error));
  for (const [name, xml] of Object.entries({ ...PARTS, [WORKBOOK_PART]: workbookXml(sheet.name) })) zip.addBuffer(Buffer.from(xml), name, { mtime: EPOCH });
  zip.addReadStreamLazy(SHEET_PART, { mtime: EPOCH }, (take) => take(null, content));
  zip.end();
  try {
    for await (const chunk of out) yield chunk as Buffer;
  } finally {
    content.destroy();
    out.destroy();
  }
}

async function* sheetXml({ header, rows }: WrittenSheet): AsyncGenerator<Buffer, void> {
  const names: string[] = [];
  let line = 0;
  const view = header === undefined ? '' : '<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>';
  yield Buffer.from(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">${view}<sheetData>`);
  if (header !== undefined) yield Buffer.from(rowXml(header, names, (line += 1), HEADER_STYLE));
  for await (const part of rows) {
    let xml = '';
    for (const row of part) {
      line += 1;
      if (line > MAX_ROWS) throw new XlsxFault(`A sheet has at most ${MAX_ROWS} rows, its header among them, and there are more`);
      xml += rowXml(row, names, line);
    }
    if (xml !== '') yield Buffer.from(xml);
  }
  yield Buffer.from('</sheetData></worksheet>');
}

/** `names`: of the columns that were met so far. */
function rowXml(cells: readonly WrittenCell[], names: string[], line: number, style?: number): string {
  if (cells.length > MAX_COLUMNS) throw new XlsxFault(`A sheet has at most ${MAX_COLUMNS} columns, and these are ${cells.length}`);
  while (names.length < cells.length) names.push(columnName(names.length));
  return `<row r="${line}">${cells.map((cell, index) => cellXml(cell, `${names[index]}${line}`, style)).join('')}</row>`;
}

function cellXml(cell: WrittenCell, reference: string, style: number | undefined): string {
  if (cell === null || cell === undefined || cell === '') return '';
  if (typeof cell === 'number') return `<c r="${reference}"><v>${cell}</v></c>`;
  if (typeof cell === 'boolean') return `<c r="${reference}" t="b"><v>${Number(cell)}</v></c>`;
  return textXml(cell, reference, style ?? (FORMULA.test(cell) ? FORMULA_STYLE : 0));
}

function textXml(text: string, reference: string, style: number): string {
  if (text.length > MAX_TEXT) throw new XlsxFault(`The text in ${reference} has ${text.length} characters, and a cell of a workbook has at most ${MAX_TEXT}`);
  return `<c r="${reference}" t="inlineStr"${style === 0 ? '' : ` s="${style}"`}><is><t xml:space="preserve">${xmlText(text)}</t></is></c>`;
}

const SIGNS: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

const xmlText = (text: string) => escaped(text).replace(/[&<>]/g, (sign) => SIGNS[sign] as string);
