import { ZipFile } from 'yazl';

/** A text (shared), a number, true or false, nothing, or a cell as its XML, in which `@` is its reference. */
export type WorkbookCell = string | number | boolean | null | { readonly xml: string };

export interface WorkbookSheet {
  readonly name: string;
  readonly rows: readonly (readonly WorkbookCell[])[];
  readonly state?: 'hidden';
  /** Behind the rows: `<mergeCells>…`. */
  readonly more?: string;
}

export interface WorkbookOptions {
  readonly sheets: readonly WorkbookSheet[];
  /** Number formats, by the style of a cell (`s="0"` is the first): the number of one, or its code. */
  readonly formats?: readonly (number | string)[];
  readonly isFrom1904?: boolean;
  /** In the place of the usual one of the workbook itself. */
  readonly contentType?: string;
  /** Parts by their names, which replace those that there would be. */
  readonly parts?: Readonly<Record<string, string | Buffer>>;
}

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const WORKBOOK = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml';
const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** A workbook (.xlsx), as Excel writes it. */
export const workbookFile = (options: WorkbookOptions): Promise<Buffer> => zipFile(workbookParts(options));

export function workbookParts({ sheets, formats = [], isFrom1904 = false, contentType = WORKBOOK, parts = {} }: WorkbookOptions): Readonly<Record<string, string | Buffer>> {
  const texts: string[] = [];
  const named = sheets.map((sheet, index) => [`xl/worksheets/sheet${index + 1}.xml`, sheetXml(sheet, texts)]);
  const relation = (id: number, type: string, target: string) => `<Relationship Id="rId${id}" Type="${OFFICE}/${type}" Target="${target}"/>`;
  const relations = [...sheets.map((_, index) => relation(index + 1, 'worksheet', `worksheets/sheet${index + 1}.xml`)), relation(901, 'sharedStrings', 'sharedStrings.xml'), relation(902, 'styles', '/xl/styles.xml')];
  const shown = sheets.map(({ name, state }, index) => `<sheet name="${xmlText(name)}" sheetId="${index + 1}"${state ? ` state="${state}"` : ''} r:id="rId${index + 1}"/>`);
  return {
    '[Content_Types].xml': `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${contentType}"/></Types>`,
    '_rels/.rels': `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${relation(1, 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    'xl/workbook.xml': `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><workbookPr${isFrom1904 ? ' date1904="1"' : ''}/><sheets>${shown.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${relations.join('')}</Relationships>`,
    ...(Object.fromEntries(named) as Record<string, string>),
    'xl/sharedStrings.xml': `${HEAD}<sst xmlns="${MAIN}">${texts.map((text) => `<si><t xml:space="preserve">${xmlText(text)}</t></si>`).join('')}</sst>`,
    'xl/styles.xml': stylesXml(formats),
    ...parts,
  };
}

export async function zipFile(parts: Readonly<Record<string, string | Buffer>>): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, content] of Object.entries(parts)) zip.addBuffer(Buffer.from(content), name, { mtime: new Date(0) });
  zip.end();
  const chunks: Buffer[] = [];
  for await (const chunk of zip.outputStream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function sheetXml({ rows, more = '' }: WorkbookSheet, texts: string[]): string {
  const lines = rows.map((cells, index) => `<row r="${index + 1}">${cells.map((cell, column) => cellXml(cell, `${letters(column)}${index + 1}`, texts)).join('')}</row>`);
  return `${HEAD}<worksheet xmlns="${MAIN}"><sheetData>${lines.join('')}</sheetData>${more}</worksheet>`;
}

function cellXml(cell: WorkbookCell, reference: string, texts: string[]): string {
  if (cell === null) return '';
  if (typeof cell === 'object') return cell.xml.replace('@', reference);
  if (typeof cell === 'number') return `<c r="${reference}"><v>${cell}</v></c>`;
  if (typeof cell === 'boolean') return `<c r="${reference}" t="b"><v>${cell ? 1 : 0}</v></c>`;
  if (!texts.includes(cell)) texts.push(cell);
  return `<c r="${reference}" t="s"><v>${texts.indexOf(cell)}</v></c>`;
}

function stylesXml(formats: readonly (number | string)[]): string {
  const codes = formats.flatMap((format, index) => (typeof format === 'string' ? [`<numFmt numFmtId="${200 + index}" formatCode="${xmlText(format)}"/>`] : []));
  const used = formats.map((format, index) => `<xf numFmtId="${typeof format === 'string' ? 200 + index : format}"/>`);
  return `${HEAD}<styleSheet xmlns="${MAIN}"><numFmts>${codes.join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>${used.join('')}</cellXfs></styleSheet>`;
}

const letters = (index: number): string => (index < 26 ? '' : letters(Math.floor(index / 26) - 1)) + String.fromCharCode(65 + (index % 26));

const xmlText = (text: string) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
