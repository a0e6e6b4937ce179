import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newObjectId, newUuid } from '@twinyard/conventions';
import { eventually } from '@twinyard/testing';
import { ifcImport } from '../src/components/ifc-import/ifc-import.component';
import { IfcReader, type IfcTerms } from '../src/ifc/on-disk/ifc-reader';
import { ComponentStep, WorkerDied } from './component-step';
import { PlatformStandIn } from './consumer-contract/platform-stand-in';
import { HAS_PROC, ifcChildren } from './ifc-children';
import { manyWalls } from '@twinyard/testing/ifc-text';

const WALLS = 12_000;
const MODEL = manyWalls(WALLS);
const onLinux = HAS_PROC ? it : it.skip;

describe('ifc_import of a model that takes a while', () => {
  let platform: PlatformStandIn;
  let folder: string;

  beforeAll(async () => {
    platform = await PlatformStandIn.start();
  });
  beforeEach(() => {
    platform.items.all.length = 0;
    platform.calls.length = 0;
    platform.disturb = () => undefined;
    platform.addFile('model', 'model-1', 'house.ifc', MODEL);
    folder = mkdtempSync(join(tmpdir(), 'twinyard-import-'));
  });
  afterEach(async () => {
    expect(platform.violations).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
    await eventually(() => expect(ifcChildren()).toEqual([]));
    rmSync(folder, { recursive: true });
  });
  afterAll(() => platform?.stop());

  const step = (terms: Partial<IfcTerms> = {}) =>
    new ComponentStep(ifcImport(new IfcReader({ folder, fileMb: 64, memoryMb: 1_024, seconds: 120, ...terms })), { _fileId: 'model' }, platform.url, newUuid());
  const isWhole = () => {
    expect(platform.items.all).toHaveLength(5);
    for (const item of platform.items.all) expect(item.versions).toHaveLength(1);
    expect(platform.items.tip('rvt_elements').items.size).toBe(WALLS);
    expect(platform.items.tip('rvt_elements').relations.size).toBe(WALLS);
    expect(platform.items.tip('bim_model_version').members?.size).toBe(4);
  };

  it('tells how much has come, how much is read and how much is written', async () => {
    const one = step();
    await one.run();
    isWhole();
    const figures = one.reports.map((report) => Object.keys(report).at(-1));
    expect([...new Set(figures)]).toEqual(['bytes', 'entities', 'skipped']);
    expect(one.reports[0]).toMatchObject({ _total: MODEL.length });
    expect(one.reports.at(-1)).toEqual({ _done: 3 * WALLS, _total: 3 * WALLS, skipped: 0 });
    const written = one.reports.filter((report) => 'skipped' in report).map(({ _done }) => _done as number);
    expect(written).toEqual([...new Set(written)].sort((a, b) => a - b));
    expect(written.filter((done) => done > 2 * WALLS).length).toBe(Math.ceil(WALLS / 1_000));
    expect(one.said('info')[0]).toBe(`Read house.ifc (IFC4): ${WALLS} elements, 0 types, 0 containers, from ${WALLS} entities`);
  });

  it('is refused before anything is fetched or written where the file is too large', async () => {
    platform.addFile('model', 'model-1', 'house.ifc', Buffer.alloc(1_048_577));
    await expect(step({ fileMb: 1 }).run()).rejects.toMatchObject({ status: 413, message: 'The file is larger than the 1 MB that can be read' });
    expect([platform.count('the bytes'), platform.items.all]).toEqual([0, []]);
  });

  it('writes nothing where its process takes too much', async () => {
    await expect(step({ seconds: 0.01 }).run()).rejects.toMatchObject({ status: 400, message: 'The IFC file could not be read within 0.01 s' });
    expect(platform.items.all).toEqual([]);
  });

  onLinux('fails clearly when its process is killed, has written nothing then, and makes the model when it is tried again', async () => {
    const one = step();
    const run = one.run();
    run.catch(() => undefined);
    await eventually(() => ifcChildren().length === 1);
    ifcChildren().forEach((pid) => process.kill(pid, 'SIGKILL'));
    await expect(run).rejects.toMatchObject({ status: 503, message: 'The process that reads the IFC file has ended (SIGKILL)' });
    expect(platform.items.all).toEqual([]);
    await one.run();
    isWhole();
  });

  it('goes on into what it has made when its worker has died between two collections', async () => {
    const one = step();
    one.diesAt = (progress) => Object.hasOwn(progress as object, 'items rvt_element_props');
    await expect(one.run()).rejects.toThrow(WorkerDied);
    // The composite comes last: nobody sees half a model.
    expect(platform.items.all.map(({ _userType: type }) => type)).not.toContain('bim_model_version');
    one.diesAt = () => false;
    await one.run();
    isWhole();
  });

  it.each(['the bytes', 'make items'])('ends at once when it is cancelled, and leaves nothing behind: %s', async (when) => {
    const controller = new AbortController();
    platform.disturb = ({ name }) => (name.startsWith(when) ? 'hold' : undefined);
    const one = step();
    const run = one.run(controller.signal);
    run.catch(() => undefined);
    await eventually(() => platform.count(when) === 1);
    const began = performance.now();
    controller.abort(new Error('cancelled'));
    await expect(run).rejects.toThrow();
    expect(performance.now() - began).toBeLessThan(1_000);
    platform.disturb = () => undefined;
    await one.undo();
    expect(platform.items.all).toEqual([]);
    await one.undo(); // as after the death of who was at it
  });

  it.each(['make items', 'relate items', 'make collections members'])('that is cancelled leaves the version before it the latest, with which the next one is compared: %s', async (when) => {
    await step().run();
    platform.addFile('model', 'model-2', 'house.ifc', manyWalls(WALLS + 1));
    const controller = new AbortController();
    platform.disturb = ({ name }) => (name.startsWith(when) ? 'hold' : undefined);
    const cut = step();
    const run = cut.run(controller.signal);
    run.catch(() => undefined);
    const before = platform.count(when);
    await eventually(() => platform.count(when) === before + 1);
    controller.abort(new Error('cancelled'));
    await expect(run).rejects.toThrow();
    platform.disturb = () => undefined;
    await cut.undo();
    isWhole();
    expect(cut.said('info').at(-1)).toBe('Took back what it had written of house.ifc: nothing of this import is there');
    const next = step();
    expect(await next.run()).toMatchObject({ changes: { rvt_elements: { added: { count: 1 }, changed: { count: 0 }, gone: { count: 0 } } } });
  });

  it('takes nothing back that somebody has given another version since', async () => {
    const cut = step();
    cut.diesAt = (progress) => Object.hasOwn(progress as object, 'items rvt_elements');
    await expect(cut.run()).rejects.toThrow(WorkerDied);
    const { versions } = platform.items.ofType('rvt_elements');
    versions.push({ ...(versions[0] as (typeof versions)[0]), _id: newObjectId(), _version: 2, _userAttributes: { bimpk: { fileId: 'model', fileVersionId: 'model-1' } } });
    await cut.undo();
    expect(platform.items.all.map(({ _userType: type }) => type)).toEqual(['rvt_elements']);
    expect(versions).toHaveLength(2);
  });
});
