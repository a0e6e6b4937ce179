import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SmallDisk } from '../../../test/small-disk';
import { ScratchFile } from './scratch-file';
import { SortSpace } from './sort-space';

describe('the disk that pipelines sort on', () => {
  let folder: string;
  beforeEach(() => { folder = mkdtempSync(join(tmpdir(), 'twinyard-disk-')); });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('has files without names, for their process alone, in a folder for its user alone', async () => {
    const made = join(folder, 'below', 'sorts');
    const file = await new SortSpace(made).file();
    try {
      await file.write('private');
      const { mode, nlink, size } = await file.stat();
      expect([mode & 0o777, nlink, size]).toEqual([0o600, 0, 7]);
      expect([readdirSync(made), statSync(made).mode & 0o777]).toEqual([[], 0o700]);
    } finally {
      await file.close();
    }
  });

  it('takes away folders of processes that were killed long ago as they made a file, and nothing else', async () => {
    for (const name of ['twinyard-sort-old', 'twinyard-sort-young', 'others']) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'rows'), '');
      if (name !== 'twinyard-sort-young') utimesSync(join(folder, name), 0, 0);
    }
    await (await new SortSpace(folder).file()).close();
    expect(readdirSync(folder).sort()).toEqual(['others', 'twinyard-sort-young']);
  });

  it('can be put right while it is in use', async () => {
    const space = new SortSpace(join(folder, 'sorts'));
    writeFileSync(join(folder, 'sorts'), 'in the way');
    await expect(space.file()).rejects.toThrow();
    rmSync(join(folder, 'sorts'));
    await (await space.file()).close();
  });

  it('is to a quarter for one pipeline, as far as others leave it', () => {
    const space = new SortSpace(folder, 1_000);
    const [one, two, three, four, five] = ['one', 'two', 'three', 'four', 'five'].map((tenant) => space.share(tenant));
    one?.take(250);
    expect(() => one?.take(1)).toThrow(expect.objectContaining({ status: 400, code: 'limit_exceeded', message: expect.stringContaining('250 bytes of disk') as string }));
    for (const other of [two, three, four]) other?.take(250);
    expect(() => five?.take(1)).toThrow(expect.objectContaining({ status: 503, code: 'unavailable', retryAfter: 1 }));
    two?.give(250);
    five?.take(200);
    one?.give(1);
    one?.take(1);
    expect(() => two?.take(51)).toThrow(expect.objectContaining({ code: 'unavailable' }));
    two?.take(50);
  });

  it('is to its share for one tenant, however many pipelines it runs', () => {
    const space = new SortSpace(folder, 1_000, 0.6);
    const [one, two, three, other] = [space.share('greedy'), space.share('greedy'), space.share('greedy'), space.share('good')];
    one.take(250);
    two.take(250);
    three.take(100);
    expect(() => three.take(1)).toThrow(expect.objectContaining({ status: 429, code: 'too_many_requests', retryAfter: 1, message: expect.stringContaining('of this organization') as string }));
    other.take(250);
    one.give(250);
    three.take(150);
    for (const [share, bytes] of [[two, 250], [three, 250], [other, 250]] as const) share.give(bytes);
    other.take(250);
    expect(() => new SortSpace(folder, 1_000, 0.1).share('small').take(250)).not.toThrow();
  });
});

describe('a file without a name', () => {
  let folder: string;
  beforeEach(() => { folder = mkdtempSync(join(tmpdir(), 'twinyard-disk-')); });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('gives what was written, also by a disk that takes it in parts', async () => {
    const disk = new SmallDisk(folder, 1_000, 7);
    const file = await ScratchFile.open(disk.share());
    const texts = ['one', 'a text of more than seven bytes', '', 'three'];
    const pieces = [];
    for (const text of texts) pieces.push(await file.append(Buffer.from(text)));
    for (const [place, piece] of [...pieces.entries()].reverse()) expect((await file.read(piece)).toString()).toBe(texts[place]);
    await expect(file.read({ at: 30, length: 100 })).rejects.toThrow('ends too early');
    await file.clear();
    expect(await file.append(Buffer.from('again'))).toEqual({ at: 0, length: 5 });
    expect((await file.read({ at: 0, length: 5 })).toString()).toBe('again');
    await file.close();
    expect(disk.open).toBe(0);
  });

  it('is 507 where the disk becomes full in the middle', async () => {
    const file = await ScratchFile.open(new SmallDisk(folder, 10).share());
    await file.append(Buffer.alloc(6));
    await expect(file.append(Buffer.alloc(6))).rejects.toMatchObject({ status: 507, code: 'insufficient_storage' });
    await file.close();
  });

  it('counts what it holds, until it is given back', async () => {
    const space = new SortSpace(folder, 400);
    const [share, other] = [space.share(), space.share()];
    const [one, two] = [await ScratchFile.open(share), await ScratchFile.open(share)];
    await one.append(Buffer.alloc(60));
    await two.append(Buffer.alloc(40));
    await expect(two.append(Buffer.alloc(1))).rejects.toMatchObject({ code: 'limit_exceeded' });
    await one.clear();
    await two.append(Buffer.alloc(60));
    await Promise.all([one.close(), two.close()]);
    for (const each of [share, other]) each.take(100);
  });
});
