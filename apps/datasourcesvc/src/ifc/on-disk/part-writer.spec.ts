import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PartWriter } from './part-writer';

describe('a part of a model on disk', () => {
  let folder: string;
  let fd: number;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'twinyard-part-'));
    fd = openSync(join(folder, 'part'), 'w');
  });
  afterEach(() => {
    closeSync(fd);
    rmSync(folder, { recursive: true });
  });
  const written = () => readFileSync(join(folder, 'part'), 'utf8');

  it('is lines of JSON, written when there are enough of them, and at the end', () => {
    const writer = new PartWriter(fd, { mostBytes: 4_000_000, leftBytes: 4_000_000 });
    const rows = [{ text: 'a\nb é' }, { text: 'x'.repeat(1_048_576) }, { n: 1 }];
    writer.add(rows[0]);
    expect(written()).toBe('');
    writer.add(rows[1]);
    writer.add(rows[2]);
    expect(written().split('\n')).toHaveLength(3);
    writer.flush();
    expect(written()).toBe(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  });

  it('has no more room than all parts together', () => {
    const room = { mostBytes: 2_097_152, leftBytes: 10 };
    const [one, other] = [new PartWriter(fd, room), new PartWriter(fd, room)];
    one.add('123');
    one.flush();
    other.add('12345');
    expect(() => other.flush()).toThrow(expect.objectContaining({ status: 400, code: 'invalid', message: 'The IFC file is too large to be read: what it holds takes more than 2 MB' }));
    expect(written()).toBe('"123"\n');
  });
});
