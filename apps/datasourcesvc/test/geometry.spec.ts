import { newUuid } from '@twinyard/conventions';
import { eventually, scanStep, sharedData } from '@twinyard/testing';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { geometry } from '../src/components/geometry/geometry.component';
import type { GeometryTerms } from '../src/components/geometry/geometry-terms';
import { readIfc } from '../src/ifc/read-ifc';
import { ComponentStep, WorkerDied } from './component-step';
import { PlatformStandIn } from './consumer-contract/platform-stand-in';
import { openedGeometry } from './opened-geometry';
import { NS } from './running-service';

const SAMPLE = join(__dirname, '../../../tools/sample/sample-building.ifc');
const MODELS = [['the sample building', SAMPLE], ...['duplex.ifc', 'office-a.ifc'].map((name) => [`${name} of ../shared/data`, sharedData(name)] as const)] as const;
const UPLOAD = 'upload a file';

interface Made {
  readonly _fileId: string;
  readonly _fileVersionId: string;
  readonly _version: number;
  readonly isNew: boolean;
  readonly counts: Readonly<Record<string, number>>;
}

const isThere = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('geometry', () => {
  let platform: PlatformStandIn;
  /** Of the processes that have converted. */
  let pids: number[];

  beforeAll(async () => {
    platform = await PlatformStandIn.start();
  });
  beforeEach(() => {
    platform.files.all.clear();
    platform.calls.length = 0;
    platform.disturb = () => undefined;
    pids = [];
  });
  afterEach(() => expect(platform.violations).toEqual([]));
  afterAll(() => platform?.stop());

  const begun = (pid: number | undefined) => void pids.push(pid ?? 0);
  const stepOf = (model: Buffer | string, { terms = {}, version = 'model-1' }: { readonly terms?: Partial<GeometryTerms>; readonly version?: string } = {}) => {
    platform.addFile('model', version, 'house.of.mine.ifc', Buffer.from(model), [NS]);
    return new ComponentStep(geometry({ memoryMb: 1_536, started: begun, ...terms }), { _fileId: 'model' }, platform.url, newUuid());
  };
  const sample = () => readFileSync(SAMPLE);
  const made = () => [...platform.files.all.values()].filter(({ name }) => name.endsWith('.frag'));
  const bytesMade = () => platform.files.bytesOf('house.of.mine.frag') as Buffer;

  describe.each(MODELS)('of %s', (_, path) => {
    (path === undefined ? it.skip : it)('has every product with a body, by its GlobalId and its number in the file, with triangles', async () => {
      const file = readFileSync(path as string);
      const [scan, { elements }] = [scanStep(file.toString('latin1')), await readIfc(file)];
      const step = stepOf(file);
      const result = (await step.run()) as Made;
      const found = await openedGeometry(bytesMade());
      expect(found.map(({ globalId }) => globalId).sort()).toEqual([...scan.withBody].sort());
      expect(found.filter(({ triangles }) => triangles < 1)).toEqual([]);
      const byId = new Map(elements.map(({ sourceId, key, ifcClass }) => [sourceId, [key, ifcClass.toUpperCase()]]));
      expect(found.map(({ localId, category }) => [localId, category])).toEqual(found.map(({ globalId }) => byId.get(globalId ?? '')));
      expect(result.counts).toEqual({ elements: elements.length, withGeometry: scan.withBody.size, withoutGeometry: 0, bytes: bytesMade().length });
      expect(step.said('warn')).toEqual([]);
    });
  });

  it('lies beside the model, tagged, and says of which version it is', async () => {
    platform.files.addFolder('folder', [NS]);
    const step = stepOf(sample());
    platform.files.all.set('model', { ...(platform.files.get('model') as NonNullable<ReturnType<typeof platform.files.get>>), parent: 'folder' });
    const result = await step.run();
    const [id, file] = [...platform.files.all].at(-1) ?? [];
    expect(file).toMatchObject({ name: 'house.of.mine.frag', parent: 'folder', namespaces: [NS], tags: ['geometry'], userAttributes: { sourceFileId: 'model', sourceVersionId: 'model-1' } });
    expect(result).toMatchObject({ _fileId: id, _fileVersionId: [...(file?.versions.keys() ?? [])][0], _version: 1, isNew: true, name: 'house.of.mine.frag', sourceFileId: 'model', sourceVersionId: 'model-1', schema: 'IFC4' });
    expect(step.said('info')).toEqual([expect.stringMatching(/^Made house\.of\.mine\.frag of house\.of\.mine\.ifc \(IFC4\): 55 of 59 elements have geometry, \d+ bytes$/)]);
  });

  it('says how far it is', async () => {
    const step = stepOf(sample());
    await step.run();
    const percents = step.reports.filter(({ _total }) => _total === 100).map(({ _done }) => _done ?? -1);
    expect(percents).toEqual([...percents].sort((a, b) => a - b));
    expect([percents.length > 1, percents.at(-1)]).toEqual([true, 100]);
  });

  it('is made once for a version of a model, whoever asks again', async () => {
    const first = (await stepOf(sample()).run()) as Made;
    const again = stepOf(sample());
    expect(await again.run()).toMatchObject({ _fileId: first._fileId, _fileVersionId: first._fileVersionId, _version: 1, isNew: false });
    expect([pids.length, platform.count(UPLOAD), made()[0]?.versions.size]).toEqual([1, 1, 1]);
    expect(again.said('info')).toEqual(['house.of.mine.frag has the geometry of this version of house.of.mine.ifc already: nothing is made']);
  });

  it('has a new version for another version of the model, of the same bytes for the same version', async () => {
    const step = stepOf(sample());
    await step.run();
    const bytes = bytesMade();
    expect(await stepOf(sample(), { version: 'model-2' }).run()).toMatchObject({ _version: 2, isNew: true, sourceVersionId: 'model-2' });
    expect([made().length, made()[0]?.versions.size, made()[0]?.userAttributes]).toEqual([1, 2, { sourceFileId: 'model', sourceVersionId: 'model-2' }]);
    platform.files.all.delete('file of house.of.mine.frag');
    const third = new ComponentStep(geometry({ memoryMb: 1_536 }), { _fileId: 'model', _fileVersionId: 'model-1' }, platform.url, newUuid());
    await third.run();
    expect(bytesMade().equals(bytes)).toBe(true);
  });

  it.each([
    ['what is no IFC file', 'Name;Floor\n', 'The file is not an IFC file: it does not start with ISO-10303-21'],
    ['an empty file', '', 'The file is empty'],
    ['a file that is cut off', sample().subarray(0, 20_000).toString(), 'The IFC file is not whole: it does not end with END-ISO-10303-21'],
    ['a file of another schema', sample().toString().replace("('IFC4')", "('IFC9')"), 'The IFC file cannot be read: it is damaged, or its schema is not IFC2X3, IFC4 or IFC4X3'],
    ['a model in which nothing has a body', sample().toString().replaceAll("'Body'", "'Axis'"), 'No element of the IFC file has a body, so there is no geometry to be made of it'],
  ])('refuses %s, as ifc_import does', async (_, model, message) => {
    await expect(stepOf(model).run()).rejects.toMatchObject({ status: 400, message });
    expect([made(), pids.length]).toEqual([[], 1]);
  });

  it.each(["'body'", "'Facetation'", "''", '$'])('is made of bodies that are named %s', async (name) => {
    expect(await stepOf(sample().toString().replaceAll("'Body'", name)).run()).toMatchObject({ counts: { elements: 59, withGeometry: 55, withoutGeometry: 0 } });
    expect(await openedGeometry(bytesMade())).toHaveLength(55);
  });

  it('leaves out what has no GlobalId, or a body that nothing can be made of, and names it', async () => {
    const wall = /IFCWALL\('([^']+)'/.exec(sample().toString())?.[1] ?? '';
    const slab = /#(\d+)=IFCSLAB\('([^']+)'/.exec(sample().toString())?.[2] ?? '';
    const nameless = stepOf(sample().toString().replace(`'${wall}'`, '$'));
    expect(await nameless.run()).toMatchObject({ counts: { elements: 59, withGeometry: 54 } });
    expect(nameless.said('warn')).toEqual(['Elements left out, since they have no GlobalId: 1']);
    expect((await openedGeometry(bytesMade())).map(({ globalId }) => globalId)).toContain(slab);
    const broken = stepOf(sample().toString().replace(/IFCEXTRUDEDAREASOLID\(#\d+/, 'IFCEXTRUDEDAREASOLID(#999999'), { version: 'model-2' });
    expect(await broken.run()).toMatchObject({ counts: { withoutGeometry: 1 } });
    expect(broken.said('warn')).toEqual([expect.stringMatching(/^Elements with a body of which no geometry could be made \(1\): [\w$]{22}$/)]);
  });

  it('refuses a file that is too large before anything is begun', async () => {
    await expect(stepOf(sample(), { terms: { mostBytes: 1_000 } }).run()).rejects.toMatchObject({ status: 413 });
    expect([pids, made()]).toEqual([[], []]);
  });

  it('refuses a model that needs more memory than a conversion has', async () => {
    await expect(stepOf(sample(), { terms: { memoryMb: 64 } }).run()).rejects.toMatchObject({ status: 400, message: 'The geometry of the model needs more than the 64 MB of memory that a conversion has' });
    expect(made()).toEqual([]);
  });

  it('ends the process within a second when the run is cancelled', async () => {
    const cancel = new AbortController();
    let cancelledAt = 0;
    const step = stepOf(sample(), {
      terms: {
        started: (pid) => {
          begun(pid);
          setTimeout(() => {
            cancelledAt = performance.now();
            cancel.abort(new Error('cancelled'));
          }, 300);
        },
      },
    });
    await expect(step.run(cancel.signal)).rejects.toThrow('cancelled');
    await eventually(async () => expect(pids.filter(isThere)).toEqual([]));
    expect([performance.now() - cancelledAt < 1_000, made()]).toEqual([true, []]);
  });

  it('tries again where its process is killed, and says so where that happens again', async () => {
    const kill = (times: number) => (pid: number | undefined) => {
      begun(pid);
      if (pids.length <= times) process.kill(pid ?? 0, 'SIGKILL');
    };
    const once = stepOf(sample(), { terms: { started: kill(1) } });
    await expect(once.run()).resolves.toMatchObject({ counts: { withGeometry: 55 } });
    expect([pids.length, once.said('warn')]).toEqual([2, ['The process that converts the model has ended (SIGKILL); it is tried again']]);
    pids = [];
    await expect(stepOf(sample(), { version: 'model-2', terms: { started: kill(9) } }).run()).rejects.toMatchObject({ status: 503, message: 'The process that converts the model has ended (SIGKILL)' });
    expect([pids.length, made()[0]?.versions.size]).toEqual([2, 1]);
  });

  it('converts one model at a time, those of other tenants in their turn', async () => {
    let together = 0;
    const started = (pid: number | undefined) => {
      begun(pid);
      together = Math.max(together, pids.filter(isThere).length);
    };
    platform.addFile('other', 'other-1', 'other.ifc', sample(), [NS]);
    const other = new ComponentStep(geometry({ memoryMb: 1_536, started }), { _fileId: 'other' }, platform.url, newUuid());
    await Promise.all([stepOf(sample(), { terms: { started } }).run(), other.run()]);
    expect([pids.length, together, made().length]).toEqual([2, 1, 2]);
  });

  it('makes no second version, wherever its worker dies, nor where the answer to its upload is lost', async () => {
    let died = true;
    for (let death = 1; died; death += 1) {
      platform.files.all.clear();
      const step = stepOf(sample());
      let saves = 0;
      step.diesAt = () => (saves += 1) === death;
      died = await step.run().then(() => false, (error: unknown) => error instanceof WorkerDied);
      step.diesAt = () => false;
      if (died) await step.run();
      expect([made().length, made()[0]?.versions.size]).toEqual([1, 1]);
    }
    platform.files.all.clear();
    platform.disturb = ({ name, nth }) => (name === UPLOAD && nth === platform.count(UPLOAD) && made().length === 0 ? 'lose the answer' : undefined);
    await stepOf(sample()).run();
    expect(made().map(({ versions }) => versions.size)).toEqual([1]);
  });
});
