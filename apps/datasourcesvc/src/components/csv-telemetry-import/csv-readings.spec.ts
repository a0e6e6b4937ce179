import { checkReadings, readingBatches } from './csv-readings';

/** In pieces of three bytes, so that lines and characters are cut. */
async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += 3) yield bytes.subarray(start, start + 3);
}

const readings = async (text: string, params: Record<string, unknown> = {}) => {
  const all = [];
  for await (const batch of readingBatches(bytesOf(text), params)) all.push(...batch);
  return all.map(({ at, fields }) => ({ at: at.toISOString().slice(0, 10), ...fields }));
};

describe('readings of a CSV file', () => {
  it('are numbers where the text is one, text where it is none, and missing where the cell is empty', async () => {
    expect(await readings('timestamp,a,b,c,d,"Lüfter, außen"\n2024-01-01,1,-2.5e3,,007,"läuft, ""gut"""\n')).toEqual([
      { at: '2024-01-01', a: 1, b: -2500, d: 7, 'Lüfter, außen': 'läuft, "gut"' },
    ]);
    expect(await readings('timestamp,a,b\n2024-01-01,1e999,0x10\n')).toEqual([{ at: '2024-01-01', a: '1e999', b: '0x10' }]);
  });

  it('may come under other names and from some columns only', async () => {
    expect(await readings('t,a,b\n2024-01-01,1,2\n', { timestampColumn: 't', columns: ['b'] })).toEqual([{ at: '2024-01-01', b: 2 }]);
    expect(await readings('t,a,_id\n2024-01-01,1,2\n', { timestampColumn: 't', columns: { _id: 'x' } })).toEqual([{ at: '2024-01-01', x: 2 }]);
  });

  it('of one time count once, the last', async () => {
    expect(await readings('timestamp,a\n2024-01-01,1\n2024-01-01T00:00Z,2\n')).toEqual([{ at: '2024-01-01', a: 2 }]);
  });

  it.each([
    ['', {}, 'empty'], ['a,b\n', {}, 'no column "timestamp"'], ['timestamp,a\n', { columns: ['b'] }, 'no column "b"'],
    ['timestamp,_id\n', {}, 'cannot be named _id'], ['timestamp,a\n', { columns: 'a' }, 'columns'], ['timestamp,a\n', { columns: [] }, 'columns'], ['timestamp,a\n', { columns: [1] }, 'columns'],
  ])('are refused: %j with %j', async (text, params, message) => {
    await expect(checkReadings(bytesOf(text), params)).rejects.toThrow(message);
  });

  it('name the line of every bad row, also after a cell of several lines, but not hundreds of them', async () => {
    await expect(checkReadings(bytesOf('timestamp,a\n2024-01-01,"one\ntwo"\nnever,1\n'), {})).rejects.toThrow('1 row is bad and nothing was imported: line 4 "never" is no date and time');
    const many = `timestamp,a\n${'never,1\n'.repeat(50)}`;
    await expect(checkReadings(bytesOf(many), {})).rejects.toThrow(/^50 rows are bad .*line 21 .*; and 30 more$/);
  });

  it('pass a failure of the source on', async () => {
    const failure = new Error('the connection broke');
    const broken = async function* () {
      yield Buffer.from('timestamp,a\n2024-01-01,1\n');
      throw failure;
    };
    await expect(checkReadings(broken(), {})).rejects.toBe(failure);
  });
});
