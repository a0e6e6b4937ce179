import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@twinyard/testing';
import { IfcReader, type IfcReading, type IfcTerms } from '../src/ifc/on-disk/ifc-reader';
import type { ModelOnDisk } from '../src/ifc/on-disk/model-on-disk';
import { copySource, type IfcSource } from '../src/ifc/on-disk/source-copy';
import { readIfc } from '../src/ifc/read-ifc';
import { HAS_PROC, ifcChildren, isReading } from './ifc-children';
import { sourceOf } from './ifc-source';
import { manyWalls } from '@twinyard/testing/ifc-text';

const SAMPLE = readFileSync(join(__dirname, '../../..', 'tools/sample/sample-building.ifc'));
/** Takes a process some time to read. */
const LARGE = manyWalls(20_000);
/** A process runs compiled files alone. */
const PARENT = join(__dirname, '../../..', 'dist/apps/datasourcesvc/test/killed-reader.js');
const onLinux = HAS_PROC ? it : it.skip;

async function all<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const row of rows) found.push(row);
  return found;
}

describe('the reading of models from disk to disk', () => {
  let folder: string;
  const opened: ModelOnDisk[] = [];
  beforeEach(() => { folder = mkdtempSync(join(tmpdir(), 'twinyard-models-')); });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((model) => model.close()));
    // Whatever became of it: no file, no process.
    expect(readdirSync(folder)).toEqual([]);
    await eventually(() => expect(ifcChildren()).toEqual([]));
    rmSync(folder, { recursive: true });
  });

  const readerWith = (terms: Partial<IfcTerms> = {}) => new IfcReader({ folder, fileMb: 64, memoryMb: 1_024, seconds: 120, ...terms });
  const read = async (source: IfcSource, reader = readerWith(), reading: Partial<IfcReading> = {}) => {
    const model = await reader.read(source, { namespaces: ['a_1'], signal: new AbortController().signal, downloaded: async () => undefined, read: async () => undefined, worked: () => undefined, ...reading });
    opened.push(model);
    return model;
  };

  it('has all that the file has, as often as one looks, in files that nobody else can open', async () => {
    const model = await read(sourceOf(SAMPLE));
    const { schema, elements, types, containers, report } = await readIfc(SAMPLE);
    const properties = elements.reduce((sum, element) => sum + Object.keys(element.properties).length, 0);
    const [typed, contained] = [elements.filter(({ typeKey }) => typeKey !== undefined).length, elements.filter(({ containerKey }) => containerKey !== undefined).length];
    expect(model.head).toEqual({ schema, counts: { elements: elements.length, types: types.length, containers: containers.length, typed, contained, properties }, report });
    for (let time = 0; time < 2; time += 1) {
      expect([await all(model.elements()), await all(model.rows('types')), await all(model.rows('containers'))]).toEqual([elements, types, containers]);
    }
    expect(readdirSync(folder)).toEqual([]);
  });

  it('refuses what is too large before anything is fetched, and what turns out to be', async () => {
    let asked = 0;
    const watched = (source: IfcSource): IfcSource => ({ ...source, bytes: (most) => ((asked += 1), source.bytes(most)) });
    const large = Buffer.alloc(1_048_577);
    await expect(read(watched(sourceOf(large)), readerWith({ fileMb: 1 }))).rejects.toMatchObject({ status: 413, code: 'too_large', message: 'The file is larger than the 1 MB that can be read' });
    expect(asked).toBe(0);
    const packed: IfcSource = { known: undefined, bytes: sourceOf(SAMPLE).bytes };
    expect((await read(packed)).head.counts.elements).toBeGreaterThan(20);
  });

  it('takes no other bytes for the file', async () => {
    const { known } = sourceOf(SAMPLE);
    for (const content of [SAMPLE.subarray(1), Buffer.concat([SAMPLE.subarray(0, -1), Buffer.from(' ')])]) {
      await expect(read({ ...sourceOf(content), known })).rejects.toMatchObject({ status: 503, message: expect.stringContaining('another checksum') as string });
    }
  });

  it('says what is wrong with a file', async () => {
    await expect(read(sourceOf(Buffer.from('no model')))).rejects.toMatchObject({ status: 400, message: expect.stringContaining('not an IFC file') as string });
  });

  onLinux('ends a process that takes more memory than it may, or more time, and reads on', async () => {
    const small = readerWith({ memoryMb: 64 });
    await expect(read(sourceOf(SAMPLE), small)).rejects.toMatchObject({ status: 400, message: 'The IFC file is too large to be read: it takes more than 64 MB of memory' });
    await expect(read(sourceOf(LARGE), readerWith({ seconds: 0.01 }))).rejects.toMatchObject({ status: 400, message: 'The IFC file could not be read within 0.01 s' });
    expect((await read(sourceOf(SAMPLE))).head.counts.elements).toBeGreaterThan(20);
  });

  onLinux('is interrupted where its process is killed, and can be done again', async () => {
    const reader = readerWith();
    const kill = async () => ifcChildren().forEach((pid) => process.kill(pid, 'SIGKILL'));
    await expect(read(sourceOf(LARGE), reader, { read: kill })).rejects.toMatchObject({ status: 503, message: 'The process that reads the IFC file has ended (SIGKILL)' });
    expect((await read(sourceOf(LARGE), reader)).head.counts.elements).toBe(20_000);
  });

  onLinux('leaves nothing when the service is killed in the middle of it: its process ends, and the disk is free', async () => {
    const parent = fork(PARENT, [folder], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    const [pids] = (await once(parent, 'message')) as [number[]];
    parent.kill('SIGKILL');
    await once(parent, 'exit');
    expect(pids).toHaveLength(1);
    await eventually(() => expect(pids.filter(isReading)).toEqual([]));
  });

  it.each(['downloaded', 'read'] as const)('ends at once when it is cancelled, or nobody can be told how far it is: %s', async (when) => {
    const [controller, reason] = [new AbortController(), new Error('cancelled')];
    const cancelled = { signal: controller.signal, [when]: async () => {
      controller.abort(reason);
      controller.signal.throwIfAborted();
    } };
    await expect(read(sourceOf(LARGE), readerWith(), cancelled)).rejects.toBe(reason);
  });

  it('reads one model at a time; who waits can be cancelled', async () => {
    const reader = readerWith();
    let together = 0;
    const watched = { read: async () => { together = Math.max(together, ifcChildren().length); } };
    const controller = new AbortController();
    const [one, two, three] = [read(sourceOf(LARGE), reader, watched), read(sourceOf(SAMPLE), reader, { signal: controller.signal }), read(sourceOf(SAMPLE), reader, watched)];
    controller.abort(new Error('not wanted'));
    await expect(two).rejects.toThrow('not wanted');
    expect((await Promise.all([one, three])).map(({ head }) => head.counts.elements)).toEqual([20_000, expect.any(Number)]);
    expect(together).toBeLessThanOrEqual(1);
  });

  it('is 507 where the disk is full', async () => {
    const full = { write: async () => Promise.reject(Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })) } as unknown as FileHandle;
    await expect(copySource(sourceOf(SAMPLE), 1e9, full, async () => undefined)).rejects.toMatchObject({ status: 507, code: 'insufficient_storage' });
  });
});
