import { type WrittenCell, writeXlsx, XLSX_LIMITS, XlsxFault, XlsxWorkbook } from '../src';
import { PackageParts } from '../src/zip/package-parts';

async function* parts(...all: (readonly (readonly WrittenCell[])[])[]): AsyncGenerator<readonly (readonly WrittenCell[])[]> {
  yield* all;
}

async function written(header: readonly string[] | undefined, rows: AsyncIterable<readonly (readonly WrittenCell[])[]>, name = 'Items'): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of writeXlsx({ name, header, rows })) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function read(file: Buffer) {
  const workbook = await XlsxWorkbook.open(file);
  const rows: unknown[][] = [];
  for await (const part of workbook.rows()) for (const { cells } of part.rows) rows.push(Array.from(cells, (cell) => (cell !== undefined && 'value' in cell ? cell.value : null)));
  return { name: workbook.sheets[0]?.name, rows };
}

describe('a written workbook', () => {
  it('is read back as it was: texts, numbers, true and false, gaps', async () => {
    const rows = [['a', 1.5, true, null, '<&>"\'ä漢😀'], ['', -2e-7, false, undefined, ' two\nlines\tand\r spaces '], ['_x0041_ \u0001', 9_007_199_254_740_991, null, 'x', '=1+1']];
    const back = await read(await written(['key', 'n', 'on', 'gap', 'text'], parts(rows.slice(0, 2), [], rows.slice(2))));
    expect(back).toEqual({
      name: 'Items',
      rows: [['key', 'n', 'on', 'gap', 'text'], ['a', 1.5, true, null, '<&>"\'ä漢😀'], [null, -2e-7, false, null, ' two\nlines\tand\r spaces '], ['_x0041_ \u0001', 9_007_199_254_740_991, null, 'x', '=1+1']],
    });
  });

  it('has a text that looks like a formula as a text, also when somebody edits it', async () => {
    const sheet = Buffer.concat(await unpacked(await written(['h'], parts([['=HYPERLINK("x")'], ['+1'], ['-a'], ['@x'], ['\tx'], ['plain']])))).toString();
    expect(sheet.match(/<c r="A\d" t="inlineStr" s="1">/g)).toHaveLength(5);
    expect(sheet).toContain('<c r="A7" t="inlineStr"><is>');
    expect(sheet).not.toContain('<f>');
  });

  it('has a header alone where there are no rows, and a name that a sheet may have', async () => {
    expect(await read(await written(['a', 'b'], parts(), "'Räume: [1/2] & mehr, mit einem sehr langen Namen'"))).toEqual({ name: 'Räume   1 2  & mehr, mit einem', rows: [['a', 'b']] });
    expect((await read(await written(['a'], parts(), '[]'))).name).toBe('Sheet1');
  });

  it('has rows alone where there is no header, each as wide as it is', async () => {
    const file = await written(undefined, parts([['a'], [], ['b', 1, '=x']]));
    expect((await read(file)).rows).toEqual([['a'], ['b', 1, '=x']]);
    expect(Buffer.concat(await unpacked(file)).toString()).not.toContain('<pane');
    await expect(written(undefined, parts([new Array<string>(16_385).fill('x')]))).rejects.toThrow('A sheet has at most 16384 columns');
  });

  it('is none of what no workbook holds', async () => {
    await expect(written(['a', 'b'], parts([['x', 'y'.repeat(32_768)]]))).rejects.toThrow(new XlsxFault('The text in B2 has 32768 characters, and a cell of a workbook has at most 32767'));
    await expect(written(new Array<string>(16_385).fill('h'), parts())).rejects.toThrow('A sheet has at most 16384 columns');
    await expect(written([], (async function* rows() {
      for (let part = 0; part < 20; part += 1) yield new Array<readonly WrittenCell[]>(60_000).fill([]);
    })())).rejects.toThrow('A sheet has at most 1048576 rows');
  });

  it('ends with the failure of its rows, and lets go of them when nobody reads on', async () => {
    await expect(written(['a'], (async function* rows() {
      yield [['x']];
      throw new Error('the rows broke off');
    })())).rejects.toThrow('the rows broke off');
    const over = new AbortController();
    let bytes = 0;
    for await (const chunk of writeXlsx({ name: 'S', header: ['a'], rows: endless(() => over.abort()) })) {
      bytes += chunk.length;
      if (bytes > 200_000) break;
    }
    for (let turn = 0; turn < 1_000 && !over.signal.aborted; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(over.signal.aborted).toBe(true);
  });
});

async function* endless(end: () => void): AsyncGenerator<readonly (readonly WrittenCell[])[]> {
  try {
    for (;;) yield [[Math.random()]];
  } finally {
    end();
  }
}

/** The bytes of its sheet. */
async function unpacked(file: Buffer): Promise<Buffer[]> {
  const chunks: Buffer[] = [];
  for await (const chunk of (await PackageParts.open(file, XLSX_LIMITS)).read('xl/worksheets/sheet1.xml', XLSX_LIMITS.partBytes)) chunks.push(chunk);
  return chunks;
}
