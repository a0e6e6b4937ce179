import { type WorkbookCell, workbookFile, type WorkbookOptions, workbookParts, zipFile } from '@twinyard/testing/workbook-files';
import { XLSX_LIMITS, type XlsxCell, XlsxFault, type XlsxLimits, XlsxWorkbook } from '../src';

const xml = (text: string): WorkbookCell => ({ xml: text });
const shown = (cell: XlsxCell | undefined) => {
  if (cell === undefined) return null;
  return 'value' in cell ? cell.value : cell.kind;
};

async function read(bytes: Uint8Array, name?: string, limits?: Partial<XlsxLimits>) {
  const workbook = await XlsxWorkbook.open(bytes, { ...XLSX_LIMITS, ...limits });
  const rows: unknown[][] = [];
  let merged = 0;
  for await (const part of workbook.rows(name)) {
    merged = part.merged;
    for (const { line, cells } of part.rows) rows.push([line, ...Array.from(cells, shown)]);
  }
  return { rows, merged, sheets: workbook.sheets };
}

const rowsOf = async (rows: readonly (readonly WorkbookCell[])[], options: Partial<WorkbookOptions> = {}) =>
  (await read(await workbookFile({ sheets: [{ name: 'Sheet1', rows }], ...options }))).rows;
const withSheet = (sheet: string | Buffer, more: Partial<WorkbookOptions> = {}) =>
  workbookFile({ sheets: [{ name: 'Sheet1', rows: [] }], parts: { 'xl/worksheets/sheet1.xml': sheet }, ...more });

describe('the rows of a workbook', () => {
  it('hold what their cells hold, in place, with the numbers that the sheet shows', async () => {
    expect(await rowsOf([['Key', 'Größe <m²>', null, 'On'], [], ['a', 1.5, null, true], ['b', -2e-7], [null, null, false]])).toEqual([
      [1, 'Key', 'Größe <m²>', null, 'On'], [3, 'a', 1.5, null, true], [4, 'b', -2e-7], [5, null, null, false],
    ]);
  });

  it('have the texts of cells whole: shared, inline, in runs, without how they are pronounced, with what XML cannot hold', async () => {
    const shared = '<sst><si><t>one</t></si><si><r><t>r</t></r><r><rPr><b/></rPr><t xml:space="preserve">uns </t></r><rPh sb="0" eb="1"><t>sound</t></rPh></si><si><t>a_x000A_b_x005F_x0041_ _xD800_</t></si><si/></sst>';
    const row = [0, 1, 2, 3].map((index) => xml(`<c r="@" t="s"><v>${index}</v></c>`));
    const inline = xml('<c r="@" t="inlineStr"><is><r><t>in</t></r><r><t>line</t></r></is></c>');
    expect(await rowsOf([[...row, inline, xml('<c r="@" t="str"><f>A1</f><v>found</v></c>'), xml('<c r="@" t="inlineStr"><is><t><![CDATA[<&>]]></t></is></c>')]], { parts: { 'xl/sharedStrings.xml': shared } })).toEqual([
      // Half a character stays as it is written.
      [1, 'one', 'runs ', 'a_x000A_b_x005F_x0041_ _xD800_', null, 'inline', 'found', '<&>'],
    ]);
    expect(await rowsOf([[xml('<c r="@" t="inlineStr"><is><t>a_x000A_b_x005F_x0041_</t></is></c>')]])).toEqual([[1, 'a\nb_x0041_']]);
    const long = 'x'.repeat(200_000);
    expect(await rowsOf([[long]])).toEqual([[1, long]]);
  });

  it('have of a formula its value, and say where there is none', async () => {
    expect(await rowsOf([[xml('<c r="@"><f>1+1</f><v>2</v></c>'), xml('<c r="@"><f t="shared" si="0"/><v>3</v></c>'), xml('<c r="@"><f>NOW()</f></c>'), xml('<c r="@" t="str"><f>""</f><v></v></c>'), xml('<c r="@" t="b"><f>TRUE</f><v>1</v></c>')]])).toEqual([
      [1, 2, 3, 'uncalculated', null, true],
    ]);
  });

  it('have errors as errors, and whole numbers that a double would change as their digits', async () => {
    expect(await rowsOf([[xml('<c r="@" t="e"><v>#N/A</v></c>'), xml('<c r="@" t="e"><v>#REF!</v></c>'), xml('<c r="@"><v>12345678901234567890</v></c>'), 9_007_199_254_740_991, xml('<c r="@"><v>1E20</v></c>'), xml('<c r="@"><v>?</v></c>')]])).toEqual([
      [1, '#N/A', '#REF!', '12345678901234567890', 9_007_199_254_740_991, '1E20', '?'],
    ]);
  });

  it('have numbers as dates and times where the sheet shows them so', async () => {
    const formats = [0, 14, 22, 21, 46, 'yyyy\\-mm\\-dd hh:mm:ss.000', '"days" 0.0', '[$-407]d\\. mmmm yyyy;@', 'h:mm AM/PM', '[h]:mm', '0.00E+00', 'mm:ss', '[Red]General'];
    const number = (style: number, value: number) => xml(`<c r="@" s="${style}"><v>${value}</v></c>`);
    const row = [
      number(1, 45_292), number(2, 45_292.5), number(3, 0.75), number(4, 1.5), number(5, 45_292.000_011_574), number(6, 7), number(7, 45_292), number(8, 45_292.25), number(9, 1.25), number(10, 3), number(11, 0.5), number(12, 5),
    ];
    expect(await rowsOf([row], { formats })).toEqual([
      [1, '2024-01-01', '2024-01-01T12:00:00', '18:00:00', 1.5, '2024-01-01T00:00:01', 7, '2024-01-01', '2024-01-01T06:00:00', 1.25, 3, '12:00:00', 5],
    ]);
    expect(await rowsOf([[xml('<c r="@" t="d"><v>2024-02-29T10:00:00</v></c>')]])).toEqual([[1, '2024-02-29T10:00:00']]);
  });

  it('count days as the workbook does: with the day of 1900 that was none, or from 1904 on', async () => {
    const dates = (...serials: number[]) => serials.map((serial) => xml(`<c r="@" s="1"><v>${serial}</v></c>`));
    expect(await rowsOf([dates(1, 59, 60, 61, 0, -1, 2_958_465, 2_958_466)], { formats: [0, 14] })).toEqual([[1, '1900-01-01', '1900-02-28', 60, '1900-03-01', 0, -1, '9999-12-31', 2_958_466]]);
    expect(await rowsOf([dates(0, 1, 43_830)], { formats: [0, 14], isFrom1904: true })).toEqual([[1, '1904-01-01', '1904-01-02', '2024-01-01']]);
  });

  it('are of the sheet that is named, else of the first that is shown', async () => {
    const file = await workbookFile({ sheets: [{ name: 'Notes', state: 'hidden', rows: [['hidden']] }, { name: 'A & B', rows: [['shown']] }, { name: 'Assets', rows: [['third']] }] });
    expect((await read(file)).rows).toEqual([[1, 'shown']]);
    expect((await read(file, ' assets')).rows).toEqual([[1, 'third']]);
    expect((await read(file, 'Notes')).rows).toEqual([[1, 'hidden']]);
    expect((await read(file)).sheets.map(({ name, isHidden }) => [name, isHidden])).toEqual([['Notes', true], ['A & B', false], ['Assets', false]]);
    await expect(read(file, 'Other')).rejects.toThrow('The workbook has no sheet "Other"; it has "Notes", "A & B", "Assets"');
  });

  it('have of merged cells the first, and their number is told', async () => {
    const rows = [['a', null], ['b', 'c']];
    expect(await read(await workbookFile({ sheets: [{ name: 'S', rows, more: '<mergeCells count="2"><mergeCell ref="A1:B1"/><mergeCell ref="D1:D4"/></mergeCells>' }] }))).toMatchObject({ rows: [[1, 'a'], [2, 'b', 'c']], merged: 2 });
  });

  it('are found without references, under prefixes and in the Strict form', async () => {
    const sheet = '<x:worksheet xmlns:x="http://purl.oclc.org/ooxml/spreadsheetml/main"><x:sheetData><x:row><x:c><x:v>1</x:v></x:c><x:c r="D1"><x:v>2</x:v></x:c><x:c><x:v>3</x:v></x:c></x:row><x:row><x:c><x:v>4</x:v></x:c></x:row></x:sheetData></x:worksheet>';
    const relations = '<Relationships><Relationship Id="rId1" Type="http://purl.oclc.org/ooxml/officeDocument/relationships/worksheet" Target="/xl/worksheets/sheet1.xml"/></Relationships>';
    expect((await read(await withSheet(sheet, { parts: { 'xl/worksheets/sheet1.xml': sheet, 'xl/_rels/workbook.xml.rels': relations } }))).rows).toEqual([[1, 1, null, null, 2, 3], [2, 4]]);
  });
});

describe('a file that is no workbook', () => {
  const refused = (bytes: Buffer, limits: Partial<XlsxLimits> = {}) => read(bytes, undefined, limits).then(() => 'was read', (error: unknown) => (error instanceof XlsxFault ? error.message : String(error)));
  const type = (contentType: string) => workbookFile({ sheets: [{ name: 'S', rows: [['a']] }], contentType });

  it.each([
    ['macros', () => type('application/vnd.ms-excel.sheet.macroEnabled.main+xml'), 'The workbook has macros, and such files are not read; save it as .xlsx'],
    ['a binary one', () => type('application/vnd.ms-excel.sheet.binary.macroEnabled.main'), 'The workbook is a binary one (.xlsb); save it as .xlsx'],
    ['a password', async () => Buffer.from('d0cf11e0a1b11ae100', 'hex'), 'The workbook has a password, or is one of Excel before 2007 (.xls); save it as .xlsx without a password'],
    ['OpenDocument', () => zipFile({ mimetype: 'application/vnd.oasis.opendocument.spreadsheet' }), 'The file is an OpenDocument file; save it as .xlsx'],
    ['any ZIP', () => zipFile({ 'a.txt': 'a' }), 'The file is a ZIP, and no workbook (.xlsx)'],
    ['a document of Word', () => zipFile({ '[Content_Types].xml': '<Types/>', 'word/document.xml': '<w/>' }), 'The workbook names a part that it does not have: xl/workbook.xml'],
    ['CSV', async () => Buffer.from('a,b\n1,2\n'), 'The file is no workbook (.xlsx)'],
    ['nothing', async () => Buffer.alloc(0), 'The file is no workbook (.xlsx)'],
    ['the half of one', async () => (await type('x')).subarray(0, 400), 'The workbook is damaged: it cannot be unpacked'],
    ['no sheets', () => workbookFile({ sheets: [] }), 'The workbook has no sheet with rows'],
    ['no XML', () => withSheet('<worksheet><sheetData><row r="1"></worksheet>'), 'The workbook is damaged: xl/worksheets/sheet1.xml cannot be read, '],
    ['XML without an end', () => withSheet('<worksheet><sheetData>'), 'The workbook is damaged: xl/worksheets/sheet1.xml cannot be read, '],
    ['entities of its own', () => withSheet('<!DOCTYPE w [<!ENTITY a "aaaa">]><worksheet>&a;</worksheet>'), 'The workbook is damaged: xl/worksheets/sheet1.xml cannot be read, it has a DOCTYPE, which no workbook has'],
    ['elements in elements', () => withSheet('<worksheet>' + '<a>'.repeat(1_000)), 'The workbook is damaged: xl/worksheets/sheet1.xml cannot be read, elements are nested too deep'],
    ['attributes', () => withSheet(`<worksheet ${Array.from({ length: 1_000 }, (_, n) => `a${n}="1"`).join(' ')}/>`), 'The workbook is damaged: xl/worksheets/sheet1.xml cannot be read, an element has too many attributes'],
    ['another encoding', () => withSheet(Buffer.from('<worksheet>\xe4</worksheet>', 'latin1')), 'The workbook is damaged: xl/worksheets/sheet1.xml cannot be read, it is not UTF-8'],
    ['rows out of order', () => withSheet('<worksheet><row r="2"/><row r="2"/></worksheet>'), 'The workbook is damaged: in the sheet "Sheet1" behind row 2 comes a row "2"'],
    ['too many rows', () => withSheet('<worksheet><row r="1048577"/></worksheet>'), 'The workbook is damaged: in the sheet "Sheet1" behind row 0 comes a row "1048577"'],
    ['too many columns', () => withSheet('<worksheet><row><c r="XFE1"><v>1</v></c></row></worksheet>'), 'The workbook is damaged: in the sheet "Sheet1" row 1 has its cells in no order, or too many of them'],
    ['a text that is not there', () => withSheet('<worksheet><row><c t="s"><v>7</v></c></row></worksheet>'), 'The workbook is damaged: in the sheet "Sheet1" row 1 refers to a text that is not there'],
  ] as const)('is refused and told why: %s', async (_, file, message) => expect(await refused(await file())).toContain(message));

  it('is refused with two parts of one name', async () => {
    const parts = workbookParts({ sheets: [{ name: 'S', rows: [] }] });
    expect(await refused(await zipFile({ ...parts, 'XL/Workbook.xml': 'other' }))).toBe('The workbook has two parts of the name XL/Workbook.xml');
  });

  it('is refused where it grows when it is unpacked, before it has', async () => {
    const bomb = await withSheet(Buffer.concat([Buffer.from('<worksheet><!--'), Buffer.alloc(4_000_000, ' ')]));
    expect(bomb.length).toBeLessThan(20_000);
    expect(await refused(bomb, { unsuspiciousBytes: 1_000_000 })).toBe('xl/worksheets/sheet1.xml grows to more than 200 times its size when it is unpacked, as only files do that are to do harm');
    expect(await refused(bomb, { partBytes: 3_145_728 })).toBe('xl/worksheets/sheet1.xml has 3 MB when it is unpacked, and 3 MB are read at most');
  });

  it('is refused where it grows beyond what it says of itself', async () => {
    const bomb = await withSheet(Buffer.from(`<worksheet>${'<row/>'.repeat(100_000)}</worksheet>`));
    const entry = bomb.lastIndexOf('xl/worksheets/sheet1.xml') - 46;
    // The head of an entry in the directory of a ZIP, and the size behind unpacking in it.
    expect([bomb.readUInt32LE(entry), bomb.readUInt32LE(entry + 24)]).toEqual([0x02014b50, 600_023]);
    bomb.writeUInt32LE(1_000, entry + 24);
    expect(await refused(bomb)).toBe('The workbook is damaged: it cannot be unpacked');
  });

  it('is refused where it has more than is read at most: parts, texts, characters of a cell or of rows, or time', async () => {
    const file = await workbookFile({ sheets: [{ name: 'S', rows: [['first', 'second']] }] });
    expect(await refused(file, { parts: 3 })).toMatch(/^The workbook has \d+ parts, and 3 are read at most$/);
    expect(await refused(file, { sharedBytes: 8 })).toMatch(/^The texts of the workbook have more than the/);
    expect(await refused(file, { sharedTexts: 1 })).toBe('The workbook has more than the 1 texts that are read at most');
    expect(await refused(file, { cellLength: 5 })).toBe('A text of the workbook has more than 5 characters');
    expect(await refused(await withSheet('<worksheet><row><c><v>123456</v></c></row></worksheet>'), { cellLength: 5 })).toBe('The workbook is damaged: in the sheet "Sheet1" a cell has more than 5 characters');
    const wide = await workbookFile({ sheets: [{ name: 'S', rows: [['long text', 'long text'], ['long text']] }] });
    expect(await refused(wide, { rowLength: 27 })).toBe('was read');
    expect(await refused(wide, { rowLength: 26 })).toBe('In the sheet "S" row 2 and those before it hold more than the 26 characters that are read at once');
    expect(await refused(wide, { rowLength: 17 })).toBe('In the sheet "S" row 1 and those before it hold more than the 17 characters that are read at once');
    expect(await refused(file, { milliseconds: -1 })).toBe('The workbook takes longer to read than 0 seconds');
  });
});
