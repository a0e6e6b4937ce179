import { eventually, scanStep, sharedData } from '@twinyard/testing';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtInComponents } from '../src/components/built-in-components';
import { ifcText } from '@twinyard/testing/ifc-text';
import { PlatformStandIn } from './consumer-contract/platform-stand-in';
import { NS, type RunBody, RUNS, RunningService } from './running-service';

const ROOT = join(__dirname, '../../..');
const SAMPLE = join(ROOT, 'tools/sample/sample-building.ifc');
const MODEL = sharedData('duplex.ifc') ?? SAMPLE;
const IFC_IMPORT = '6f0e6f3a-3b1c-4d0e-9c53-0d4f4f8a7b02';
const COLLECTIONS = ['rvt_elements', 'rvt_element_props', 'rvt_type_elements', 'ifc_spatial_structure'];

describe('imports through the public API of the platform', () => {
  let service: RunningService;
  let platform: PlatformStandIn;
  let owner: string;

  beforeAll(async () => {
    platform = await PlatformStandIn.start();
    service = await RunningService.start(builtInComponents(), { ITEMSVC_URL: platform.url, FILESVC_URL: platform.url });
    owner = await service.passport.token('owner');
    await service.passport.grant('owner', NS, ['*']);
  });

  beforeEach(() => {
    platform.items.all.length = 0;
    platform.items.readings.clear();
    platform.calls.length = 0;
    platform.disturb = () => undefined;
  });

  afterEach(() => expect(platform.violations).toEqual([]));

  afterAll(async () => {
    await service?.stop();
    await platform?.stop();
  });

  const start = async (component: string, params: object, changes: object = {}) =>
    service.startRun(owner, await service.orchestrator(owner, [{ _orchcomp: component, _actualparams: params }], changes));
  const run = async (component: string, params: object): Promise<RunBody> => service.ended(owner, (await start(component, params)).id);
  const messageOf = ({ orchrunsteps: [step] }: RunBody) => step?._statusmsg;

  describe('ifc_import', () => {
    beforeAll(() => {
      platform.addFile('large', 'large-1', 'house.ifc', readFileSync(MODEL));
      platform.addFile('model', 'model-1', 'house.ifc', readFileSync(SAMPLE));
    });

    it('shows how long it took, and what it has asked of the platform', async () => {
      const queued = await start('ifc_import', { _fileId: 'model' });
      expect(queued).not.toHaveProperty('_usage');
      const { _usage } = await service.ended(owner, queued.id);
      expect(_usage).toEqual({ _wallMs: expect.any(Number), _cpuMs: expect.any(Number), _requests: platform.calls.length, _bytes: expect.any(Number) });
      expect(_usage?._wallMs).toBeGreaterThan(0);
      if (process.platform === 'linux') expect(_usage?._cpuMs).toBeGreaterThan(0); // of the process that reads the model
      // The file, and what was made of it.
      expect(_usage?._bytes).toBeGreaterThan(readFileSync(SAMPLE).length);
    });

    const sizes = () => Object.fromEntries(COLLECTIONS.map((type) => [type, platform.items.tip(type).items.size]));

    it('fills a composite of collections with every product, property, type and storey of the file, and links them', async () => {
      const scan = scanStep(readFileSync(MODEL, 'utf8'));
      const done = await run('ifc_import', { _fileId: 'large', name: 'House' });
      const elements = [...platform.items.tip('rvt_elements').items.values()];
      expect(new Map(elements.map((item) => [item['source_id'], String(item['ifcClass']).toUpperCase()]))).toEqual(scan.products);
      expect(Object.keys(elements[0] as object)).toEqual(expect.arrayContaining(['_id', 'package_id', 'source_id', 'ifcClass', 'name']));
      const props = platform.items.tip('rvt_element_props').items;
      expect([...props.keys()]).toEqual([...platform.items.tip('rvt_elements').items.keys()]);
      const properties = [...props.values()].reduce((sum, item) => sum + Object.keys(item['properties'] as object).length, 0);
      expect(properties).toBe(scan.totalProperties);
      const storeys = [...platform.items.tip('ifc_spatial_structure').items.values()].filter((item) => item['ifcClass'] === 'IfcBuildingStorey');
      expect(storeys.map((item) => item['name']).sort()).toEqual(scan.storeys.map(({ name }) => name).sort());
      expect(platform.items.tip('bim_model_version')._userAttributes).toMatchObject({ bimpk: { fileId: 'large', fileVersionId: 'large-1' } });
      expect(platform.items.ofType('bim_model_version')).toMatchObject({ _itemClass: 'NamedCompositeItem', _name: 'House' });
      expect(platform.items.tip('bim_model_version').members).toEqual(new Map(COLLECTIONS.map((type) => [platform.items.ofType(type)._userItemId, platform.items.tip(type)._id])));
      const types = platform.items.ofType('rvt_type_elements')._userItemId;
      const relations = [...platform.items.tip('rvt_elements').relations].map((text) => text.split(' '));
      expect(relations.filter(([from, , to]) => from === to)).toHaveLength(elements.length);
      expect(relations.filter(([, item]) => item === types)).toHaveLength(elements.filter((item) => 'type_id' in item).length);
      const contained = elements.filter((item) => 'container_id' in item).length;
      expect(platform.items.tip('ifc_spatial_structure').relations.size).toBe(contained);
      const written = Object.values(sizes()).reduce((sum, size) => sum + size, relations.length + contained);
      expect([done._status, done['_progress']]).toEqual(['COMPLETED', { _done: written, _total: written, skipped: 0 }]);
      expect(JSON.parse(done._result as string)).toMatchObject({
        composite: { _id: platform.items.ofType('bim_model_version')._id, _version: 1 },
        counts: { elements: elements.length, properties, containers: sizes()['ifc_spatial_structure'] },
      });
    });

    it('makes new versions when the file is imported again, and leaves the old ones alone', async () => {
      const first = await run('ifc_import', { _fileId: 'model' });
      const before = sizes();
      // Also when it is not known whether a version was made.
      platform.disturb = ({ name, nth }) => (name.startsWith('make a new tip') && nth % 2 === 1 ? 'lose the answer' : undefined);
      const second = await run('ifc_import', { _fileId: 'model' });
      expect([first._status, second._status]).toEqual(['COMPLETED', 'COMPLETED']);
      expect(platform.items.all).toHaveLength(5);
      for (const item of platform.items.all) expect(item.versions).toHaveLength(2);
      expect(sizes()).toEqual(before);
      expect(platform.items.ofType('rvt_elements').versions[0]?.items.size).toBe(before['rvt_elements']);
      expect(JSON.parse(second._result as string).composite._version).toBe(2);
    });

    describe('of a file that has changed', () => {
      const wall = (number: number, id: string, name: string) => `#${number}=IFCWALL('${id}',$,'${name}',$,$,$,$,$,$);`;
      const BEFORE = ifcText([wall(1, 'one', 'A'), wall(2, 'two', 'B'), wall(3, 'three', 'C')].join('\n'));
      // Each entity has another number.
      const AFTER = ifcText([wall(11, 'four', 'D'), wall(12, 'two', 'B, moved'), wall(13, 'one', 'A')].join('\n'));
      const importOf = async (version: string, text: string) => {
        platform.addFile('changing', version, 'house.ifc', Buffer.from(text));
        const { id } = await start('ifc_import', { _fileId: 'changing', _fileVersionId: version });
        const done = await service.ended(owner, id);
        expect(done._status).toBe('COMPLETED');
        return { result: JSON.parse(done._result as string) as { changes?: Record<string, object> }, log: (await service.log(owner, id)).map(({ level, message }) => `${String(level)} ${String(message)}`) };
      };
      const none = { count: 0, first: [] };

      it('says what is there now, what has changed and what is gone, by GlobalIds', async () => {
        expect((await importOf('changing-1', BEFORE)).result).not.toHaveProperty('changes');
        // Also when it is not known whether a version was made.
        platform.disturb = ({ name, nth }) => (name.startsWith('make a new tip') && nth === 1 ? 'lose the answer' : undefined);
        const { result, log } = await importOf('changing-2', AFTER);
        expect(result.changes).toMatchObject({
          rvt_elements: { added: { count: 1, first: ['four'] }, changed: { count: 1, first: ['two'] }, gone: { count: 1, first: ['three'] } },
          rvt_type_elements: { added: none, changed: none, gone: none },
        });
        expect(log).toContain('info Since the version before, of rvt_elements: 1 added (four); 1 changed (two); 1 gone (three)');
      });

      it('says so where nothing has, and goes on where nobody can tell', async () => {
        await importOf('changing-1', BEFORE);
        expect((await importOf('changing-2', BEFORE)).log).toContain('info Nothing has changed since the version before');
        platform.disturb = ({ name }) => (name === 'items as a file' ? { status: 403, body: { message: 'not you', code: 'forbidden' } } : undefined);
        const { result, log } = await importOf('changing-3', AFTER);
        expect([result.changes, log.some((line) => line.startsWith('warn What has changed since the version before is not known'))]).toEqual([undefined, true]);
      });
    });

    it('makes nothing twice although answers are lost, services are away and limits are reached', async () => {
      platform.disturb = ({ name, nth }) => {
        if (nth === 1 && name.startsWith('make')) return 'lose the answer';
        if (nth === 2 && name.startsWith('make one item')) return { status: 503, headers: { 'retry-after': '0' }, body: { message: 'away' } };
        if (nth === 1 && name.startsWith('relate')) return { status: 429, headers: { 'retry-after': '0' }, body: { message: 'too many' } };
        return nth === 1 && name.includes('bytes') ? 'lose the answer' : undefined;
      };
      expect(await run('ifc_import', { _fileId: 'model' })).toMatchObject({ _status: 'COMPLETED' });
      expect(platform.items.all).toHaveLength(5);
      for (const item of platform.items.all) expect(item.versions).toHaveLength(1);
    });

    it('goes on, after its worker died in the middle of writing, into what it has made', async () => {
      platform.disturb = ({ name, nth }) => (nth === 2 && name.startsWith('make items') ? 'hold' : undefined);
      const { id } = await start('ifc_import', { _fileId: 'model' });
      await eventually(() => platform.count('make items') === 2);
      platform.disturb = () => undefined;
      await service.silence(id);
      expect(await service.ended(owner, id)).toMatchObject({ _status: 'COMPLETED', orchrunsteps: [{ _status: 'COMPLETED' }] });
      expect(platform.items.all).toHaveLength(5);
      for (const item of platform.items.all) expect(item.versions).toHaveLength(1);
      expect(sizes()['rvt_elements']).toBe(scanStep(readFileSync(SAMPLE, 'utf8')).products.size);
      expect((await service.log(owner, id)).map(({ message }) => message)).toContain('Taken over from a worker that fell silent');
    });

    it('follows work that is answered with 202 to its end, and fails with what that says', async () => {
      const accepted = { status: 202, headers: { location: 'https://public.example/itemsvc/api/v1/requests/r1', 'retry-after': '0' } };
      let polls = 0;
      platform.disturb = ({ name }) => {
        if (name.startsWith('make items')) return accepted;
        if (!name.startsWith('ask how')) return undefined;
        polls += 1;
        return { status: 200, body: polls < 3 ? { _status: 'RUNNING' } : { _status: 'FAILED', _response: { _status: 400, _body: { message: 'the 7th item is bad' } } } };
      };
      expect(messageOf(await run('ifc_import', { _fileId: 'model' }))).toBe('itemsvc: the 7th item is bad');
      expect(polls).toBe(3);
    });

    it('writes nothing for a file that is no model, and says why', async () => {
      platform.addFile('text', 'text-1', 'notes.txt', Buffer.from('no model at all'));
      const done = await run('ifc_import', { _fileId: 'text' });
      expect(done).toMatchObject({ _status: 'ERROR', orchrunsteps: [{ _status: 'ERROR', _statusmsg: expect.stringContaining('not an IFC file') }] });
      expect(platform.items.all).toEqual([]);
      expect(messageOf(await run('ifc_import', { _fileId: 'missing' }))).toBe('filesvc: There is no file "missing"');
    });

    it('is not begun without a file, and with what is none', async () => {
      const id = await service.orchestrator(owner, [{ _orchcomp: 'ifc_import', _name: 'Import' }]);
      const begin = (params?: object) => service.call(owner, 'post', RUNS).send({ orchestratorId: id, ...(params && { _actualParams: [{ sequence_type_id: IFC_IMPORT, params }] }) });
      expect((await begin().expect(400)).body.details).toEqual([{ field: '_actualParams._fileId', issue: 'is required, in the step "Import"' }]);
      expect((await begin({ _fileId: 'model', strict: 'yes' }).expect(400)).body.details).toEqual([{ field: '_actualParams.strict', issue: 'must be true or false, in the step "Import"' }]);
      expect((await service.call(owner, 'get', `${RUNS}?orchestratorId=${id}`).expect(200)).body._total).toBe(0);
    });

    describe('of a file with faults', () => {
      const wall = (number: number, name: string) => `#${number}=IFCWALL('${number}',$,${name},$,$,$,$,$,$);`;
      const FAULTY = ifcText([wall(1, "'A \\S\\''"), wall(2, "'B"), wall(3, "'C'"), "#4=IFCNOSUCH('x');", wall(5, 'nan'), wall(6, "'D'").replace('$', '#99')].join('\n'));

      beforeAll(() => platform.addFile('faulty', 'faulty-1', 'house.ifc', Buffer.from(FAULTY)));

      it('takes what can be read, and says of the rest what it is and where', async () => {
        const { id } = await start('ifc_import', { _fileId: 'faulty' });
        const done = await service.ended(owner, id);
        expect([done._status, done._progress]).toEqual(['COMPLETED', { _done: 12, _total: 12, skipped: 2 }]);
        expect([...platform.items.tip('rvt_elements').items.values()].map(({ name }) => name)).toEqual(['A §', 'C', '', 'D']);
        const warnings = (await service.log(owner, id)).filter(({ level }) => level === 'warn').map(({ message }) => message);
        expect(warnings).toEqual([
          'Entities left out, since they cannot be read (1): #2=IFCWALL in line 9',
          'Entities without a value, since none of ISO 10303-21 is written there (1): #5=IFCWALL in line 12',
          'Entities referring to an entity that the file does not have (1): #6=IFCWALL (#99) in line 13',
          'Entities left out, since the schema does not have the name (1): #4=IFCNOSUCH in line 11',
        ]);
        expect(JSON.parse(done._result as string).counts).toMatchObject({ elements: 4, skipped: 2 });
      });

      it('takes nothing of it when that is asked for, and says why', async () => {
        const done = await run('ifc_import', { _fileId: 'faulty', strict: true });
        expect([done._status, platform.items.all]).toEqual(['ERROR', []]);
        expect(messageOf(done)).toMatch(/^The file has faults, and with "strict" nothing is imported\. .*#2=IFCWALL in line 9.*#4=IFCNOSUCH in line 11/);
        expect(await run('ifc_import', { _fileId: 'model', strict: true })).toMatchObject({ _status: 'COMPLETED', _progress: { skipped: 0 } });
      });
    });

    it('stops writing when it is cancelled', async () => {
      platform.disturb = ({ name }) => (name.startsWith('make items') ? 'hold' : undefined);
      const { id } = await start('ifc_import', { _fileId: 'model' });
      await eventually(() => platform.count('make items') === 1);
      await service.call(owner, 'put', `${RUNS}/${id}`).send({ id }).expect(200);
      expect(await service.ended(owner, id)).toMatchObject({ _status: 'CANCELLED', orchrunsteps: [{ _status: 'CANCELLED' }] });
      expect(platform.count('relate')).toBe(0);
    });
  });

  describe('csv_telemetry_import', () => {
    const telemetry = () => {
      const item = platform.items.add('sensors', 'NamedTelemetryCollection');
      const _id = 'a'.repeat(24);
      item.versions[0]?.items.set(_id, { _id, _sourceId: 'sensor 1' });
      return { _userItemId: item._userItemId, _sourceId: 'sensor 1' };
    };
    const csv = (text: string) => platform.addFile('csv', 'csv-1', 'readings.csv', Buffer.from(text));

    it('writes every reading in batches, numbers as numbers, times without a zone as UTC', async () => {
      csv(`\ufefftimestamp,value,state\r\n${Array.from({ length: 2_500 }, (_, n) => `${new Date(Date.UTC(2013, 6, 4) + n * 60_000).toISOString().slice(0, 19).replace('T', ' ')},${n}.5,on`).join('\r\n')}\r\n`);
      const done = await run('csv_telemetry_import', { _fileId: 'csv', ...telemetry() });
      expect(done).toMatchObject({ _status: 'COMPLETED' });
      expect(JSON.parse(done._result as string)).toMatchObject({ counts: { rows: 2_500, readings: 2_500, batches: 3 }, from: '2013-07-04T00:00:00.000Z', to: '2013-07-05T17:39:00.000Z' });
      expect(platform.items.readings.size).toBe(2_500);
      expect(platform.items.readings.get('2013-07-04T00:01:00.000Z')).toEqual({
        _ts: '2013-07-04T00:01:00.000Z', value: 1.5, state: 'on', _tsMetadata: { _telItemId: 'a'.repeat(24), _sourceId: 'sensor 1' },
      });
    });

    it('takes the columns that it is told, under the names that it is told', async () => {
      csv('when;x\n'.replace(';', ',') + '2024-01-01T00:00:00+02:00,7\n');
      await run('csv_telemetry_import', { _fileId: 'csv', ...telemetry(), timestampColumn: 'when', columns: { x: 'temperature' } });
      expect([...platform.items.readings.values()]).toMatchObject([{ _ts: '2023-12-31T22:00:00.000Z', temperature: 7 }]);
      expect(messageOf(await run('csv_telemetry_import', { _fileId: 'csv', ...telemetry() }))).toContain('"timestamp"');
    });

    it('writes nothing of a file with bad rows, and names their lines', async () => {
      csv('timestamp,value\n2024-01-01,1\nyesterday,2\n2024-02-30,3\n2024-01-02,4,5\n');
      const message = messageOf(await run('csv_telemetry_import', { _fileId: 'csv', ...telemetry() }));
      expect(message).toMatch(/^3 rows are bad and nothing was imported: line 3 "yesterday".*; line 4 "2024-02-30".*; line 5 has 3 columns instead of 2$/);
      expect(platform.items.readings.size).toBe(0);
      csv('timestamp,value\n2024-01-01,"never ends\n');
      expect(messageOf(await run('csv_telemetry_import', { _fileId: 'csv', ...telemetry() }))).toContain('line 2 opens a quote that is not closed');
    });

    it('says what became of readings at the same instants, what is odd in the file, and how far it is', async () => {
      csv('timestamp;v;state\n2024-01-01;21,5;on\n2024-01-02;NaN;off\n');
      const target = telemetry();
      const logOf = async (params: object) => {
        const { id } = await start('csv_telemetry_import', { _fileId: 'csv', ...target, ...params });
        const done = await service.ended(owner, id);
        return { done, log: (await service.log(owner, id)).map(({ level, message }) => `${level} ${message}`) };
      };
      const first = await logOf({});
      expect(first.log).toEqual(expect.arrayContaining([
        'warn 1 cells hold no value and are left out',
        'warn Column "v" looks like decimal commas in 1 cells, which are kept as texts: line 2 "21,5". With decimalSeparator "," they are numbers',
        'info Wrote 2 readings: 2 new, 0 replaced, 0 merged, 0 kept',
      ]));
      expect(first.done).toMatchObject({ _status: 'COMPLETED', _progress: { _done: 2, _total: 2 } });
      const second = await logOf({ decimalSeparator: ',' });
      expect(second.log).toContain('info Wrote 2 readings: 0 new, 2 replaced, 0 merged, 0 kept');
      expect([...platform.items.readings.values()].map(({ v, state }) => [v, state])).toEqual([[21.5, 'on'], [undefined, 'off']]);
    });

    it('says what is missing', async () => {
      csv('timestamp,value\n2024-01-01,1\n');
      const { _userItemId } = telemetry();
      const id = await service.orchestrator(owner, [{ _orchcomp: 'csv_telemetry_import', _name: 'Import', _actualparams: { _fileId: 'csv', _userItemId } }]);
      expect((await service.call(owner, 'post', RUNS).send({ orchestratorId: id }).expect(400)).body.details).toEqual([{ field: '_actualParams._telItemId', issue: 'is required, or _sourceId, in the step "Import"' }]);
      expect(messageOf(await run('csv_telemetry_import', { _fileId: 'csv', _userItemId, _sourceId: 'nobody' }))).toContain('no telemetry item');
    });
  });
});
