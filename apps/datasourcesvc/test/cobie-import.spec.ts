import { newUuid } from '@twinyard/conventions';
import { sharedData } from '@twinyard/testing';
import { workbookFile, type WorkbookCell } from '@twinyard/testing/workbook-files';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cobieImport } from '../src/components/cobie-import/cobie-import.component';
import { readIfc } from '../src/ifc/read-ifc';
import { cobieName, cobieValues, CobieWorkbook } from './cobie-workbook';
import { ComponentStep, WorkerDied } from './component-step';
import { PlatformStandIn } from './consumer-contract/platform-stand-in';

const SAMPLE = join(__dirname, '../../../tools/sample/sample-building.ifc');
const MODELS = [['the sample building', SAMPLE], ...['duplex.ifc', 'office-a.ifc'].map((name) => [`${name} of ../shared/data`, sharedData(name)] as const)] as const;

interface Imported {
  readonly composite: { readonly _id: string; readonly _version: number };
  readonly counts: Readonly<Record<string, number>>;
}

describe('cobie_import', () => {
  let platform: PlatformStandIn;

  beforeAll(async () => {
    platform = await PlatformStandIn.start();
  });
  beforeEach(() => {
    platform.items.all.length = 0;
    platform.calls.length = 0;
    platform.disturb = () => undefined;
  });
  afterEach(() => expect(platform.violations).toEqual([]));
  afterAll(() => platform?.stop());

  /** Each is a step of its own: the stand-in knows its keys again. */
  const stepOf = (bytes: Buffer, params: object = {}, stepId = newUuid()) => {
    platform.addFile('cobie', 'cobie-1', 'house.xlsx', bytes);
    return new ComponentStep(cobieImport, { _fileId: 'cobie', ...params }, platform.url, stepId);
  };
  const stepOfSheets = async (sheets: Readonly<Record<string, readonly (readonly WorkbookCell[])[]>>, params: object = {}) =>
    stepOf(await workbookFile({ sheets: Object.entries(sheets).map(([name, rows]) => ({ name, rows })) }), params);
  const items = (type: string) => [...platform.items.tip(`cobie_${type}`).items.values()];
  const named = (type: string) => new Map(items(type).map((item) => [item['_id'] as string, item['name'] as string]));
  /** Pairs of names. */
  const related = (from: string, to: string) => {
    const [one, other, target] = [named(from), named(to), platform.items.ofType(`cobie_${to}`)._userItemId];
    const pairs = [...platform.items.tip(`cobie_${from}`).relations].map((text) => text.split(' ') as [string, string, string]);
    return pairs.filter(([, item]) => item === target).map(([id, , otherId]) => [one.get(id), other.get(otherId)].join(' → ')).sort();
  };

  describe.each(MODELS)('of %s, written as a workbook', (_, path) => {
    (path === undefined ? it.skip : it)('brings back each storey, room, type and element, what they have, and what belongs together', async () => {
      const workbook = new CobieWorkbook(await readIfc(readFileSync(path as string)));
      const step = stepOf(await workbook.file(), { name: 'House' });
      const { counts, composite } = (await step.run()) as Imported;
      const { model, floors, spaces, components } = workbook;
      expect(step.said('warn')).toEqual([]);
      const last = step.reports.at(-1);
      expect([last?._done, last?.['skipped']]).toEqual([last?._total, 0]);
      expect(counts).toMatchObject({ cobie_components: components.length, cobie_types: model.types.length, cobie_floors: floors.length, cobie_spaces: spaces.length, cobie_contacts: 1, skipped: 0 });
      for (const [type, all] of [['components', components], ['types', model.types], ['floors', floors], ['spaces', spaces]] as const) {
        expect(items(type).map(({ source_id: id, name }) => [id, name])).toEqual(all.map((one) => [one.sourceId, cobieName(one)]));
      }
      const values = (properties: unknown) => Object.values((properties ?? {}) as Record<string, { dName: string; val: unknown; uom?: string }>).map(({ dName, val, uom }) => [dName, val, uom]);
      expect(items('components').map(({ properties }) => values(properties))).toEqual(components.map(({ properties }) => cobieValues(properties)));
      expect(related('components', 'types')).toEqual(components.flatMap((one) => (workbook.typeOf(one) ? [`${cobieName(one)} → ${cobieName(workbook.typeOf(one) as never)}`] : [])).sort());
      expect(related('spaces', 'components')).toEqual(components.flatMap((one) => (workbook.spaceOf(one) ? [`${cobieName(workbook.spaceOf(one) as never)} → ${cobieName(one)}`] : [])).sort());
      expect(related('floors', 'spaces')).toHaveLength(spaces.length);
      expect(related('facilities', 'floors')).toHaveLength(floors.length);
      expect(related('types', 'contacts')).toHaveLength(model.types.length);
      expect(platform.items.ofType('cobie_model_version')).toMatchObject({ _id: composite._id, _itemClass: 'NamedCompositeItem', _name: 'House' });
      expect(platform.items.tip('cobie_model_version').members.size).toBe(9);
    });
  });

  const HOUSE = {
    Facility: [['Name', 'Category'], ['House', 'Office']],
    Floor: [['Name', 'Elevation'], ['Ground', 0], ['Roof', 3.5]],
    Space: [['Name', 'FloorName', 'Net.Area'], ['101', 'ground', 12.5], ['Room, large', 'Ground', 'n/a'], ['201', 'Roof', null]],
    Zone: [['Name', 'Category', 'SpaceNames'], ['Fire', 'Safety', '101,Room, large'], ['Fire', 'Safety', 'Room, large'], ['Fire', 'Safety', '201'], ['Fire', 'Rent', '101']],
    Type: [['Name', 'Manufacturer', 'WarrantyGuarantorParts'], ['Pump', 'ann@example.com', 'ann@example.com']],
    Component: [['Name', 'TypeName', 'Space', 'EXTIDENTIFIER'], ['P1', 'Pump', '101, 201', '1a2b'], ['P2', 'Pump', '101', null]],
    System: [['Name', 'ComponentNames'], ['Heating', 'P1,P2']],
    Document: [['Name', 'SheetName', 'RowName', 'File'], ['Manual', 'Type', 'Pump', 'manual.pdf'], ['Plan', 'Floor', 'Ground', 'plan.pdf']],
    Contact: [['Email', 'Company'], ['ann@example.com', 'House & Co']],
    Attribute: [['Name', 'SheetName', 'RowName', 'Value', 'Unit', 'Category'], ['Flow', 'Component', 'P1', 3.25, 'm³/h', 'As built'], ['Is spare', 'Component', 'P1', true, null, null], ['Flow', 'Component', 'P1', 4, null, 'Design']],
    Job: [['Name'], ['Look at the pump']],
  } satisfies Record<string, readonly (readonly WorkbookCell[])[]>;

  it('takes rows that are one thing together, names in any case, lists with commas in names, and what documents belong to', async () => {
    const step = await stepOfSheets(HOUSE);
    await step.run();
    expect(step.said('warn')).toEqual([]);
    expect(step.said('info')).toEqual(expect.arrayContaining(['Sheets that are not imported: Job']));
    expect(items('spaces')).toMatchObject([{ name: '101', row: 2, floorName: 'ground', net_Area: 12.5 }, { name: 'Room, large', row: 3 }, { name: '201', row: 4 }]);
    expect(items('spaces')[1]).not.toHaveProperty('net_Area');
    expect(items('zones')).toMatchObject([{ name: 'Fire', category: 'Safety', spaceNames: ['101,Room, large', 'Room, large', '201'] }, { name: 'Fire', category: 'Rent', spaceNames: ['101'] }]);
    expect(items('components')[0]).toMatchObject({
      source_id: '1a2b', space: '101, 201',
      properties: {
        Flow: { val: 3.25, dName: 'Flow', psDispName: 'As built', uom: 'm³/h', type: 'number' }, 'Is spare': { val: true, type: 'boolean' },
        'Design/Flow': { val: 4, psDispName: 'Design', type: 'integer' },
      },
    });
    expect(related('floors', 'spaces')).toEqual(['Ground → 101', 'Ground → Room, large', 'Roof → 201']);
    expect(related('spaces', 'components')).toEqual(['101 → P1', '101 → P2', '201 → P1']);
    expect(related('systems', 'components')).toEqual(['Heating → P1', 'Heating → P2']);
    expect(related('types', 'contacts')).toEqual(['Pump → ann@example.com']);
    expect([related('types', 'documents'), related('floors', 'documents')]).toEqual([['Pump → Manual'], ['Ground → Plan']]);
  });

  const FAULTY = {
    Floor: [['Name'], ['Ground'], ['ground']],
    Space: [['Name', 'FloorName', 'Area'], ['101', 'Cellar', { xml: '<c r="@" t="e"><v>#REF!</v></c>' }], [null, 'Ground', 1]],
    Attribute: [['Name', 'SheetName', 'RowName', 'Value'], ['Flow', 'Component', 'P9', 1], ['Flow', 'Job', 'x', 1]],
  } satisfies Record<string, readonly (readonly WorkbookCell[])[]>;

  it('says of what it cannot take what it is and where, and goes on', async () => {
    const step = await stepOfSheets(FAULTY);
    expect((await step.run()) as Imported).toMatchObject({ counts: { cobie_floors: 2, cobie_spaces: 1, skipped: 4 } });
    expect(step.said('warn')).toEqual([
      'Rows with a name that an earlier row has, which names mean (1): Floor row 3 (Name "ground")',
      'Cells left out, since they hold an error, or a formula for which there is no value (1): Space row 2 (Area)',
      'Rows left out, since they have no name (1): Space row 3',
      'Attributes left out, since the workbook does not have their row (2): Attribute row 2 (RowName "P9"), Attribute row 3 (RowName "x")',
      'Names of rows that the workbook does not have (1): Space row 2 (FloorName "Cellar")',
    ]);
  });

  it('takes nothing of such a workbook when that is asked for', async () => {
    await expect((await stepOfSheets(FAULTY, { strict: true })).run()).rejects.toThrow(/^The workbook has faults, and with "strict" nothing is imported\. .*"Cellar"/);
    expect(platform.items.all).toEqual([]);
    await expect((await stepOfSheets(HOUSE, { strict: true })).run()).resolves.toMatchObject({ counts: { skipped: 0 } });
  });

  it.each([
    ['a workbook of something else', { Rooms: [['Name'], ['101']] }, 'none of the sheets of COBie'],
    ['a sheet without names', { Space: [['Title'], ['101']] }, 'The sheet Space has no column "Name"'],
    ['a sheet with a column twice', { Space: [['Name', 'name'], ['101', 'x']] }, 'two columns "name"'],
  ])('refuses %s', async (_, sheets, message) => {
    await expect((await stepOfSheets(sheets)).run()).rejects.toThrow(message);
    expect(platform.items.all).toEqual([]);
  });

  it('refuses what is no workbook, and one with macros', async () => {
    await expect(stepOf(Buffer.from('Name;Floor\n')).run()).rejects.toMatchObject({ status: 400 });
    const macros = await workbookFile({ sheets: [{ name: 'Space', rows: [] }], contentType: 'application/vnd.ms-excel.sheet.macroEnabled.main+xml' });
    await expect(stepOf(macros).run()).rejects.toThrow('macros');
  });

  it('makes nothing twice, wherever its worker dies', async () => {
    const whole = await stepOfSheets(HOUSE);
    await whole.run();
    const [counts, relations] = [items('components').length, related('spaces', 'components')];
    let saves = 0;
    whole.progress = null;
    for (let death = 1; death <= 25; death += 1) {
      platform.items.all.length = 0;
      const step = await stepOfSheets(HOUSE);
      saves = 0;
      step.diesAt = () => (saves += 1) === death;
      const died = await step.run().then(() => false, (error: unknown) => error instanceof WorkerDied);
      step.diesAt = () => false;
      if (died) await step.run();
      expect(platform.items.all.map(({ versions }) => versions.length)).toEqual(Array.from({ length: 10 }, () => 1));
      expect([items('components').length, related('spaces', 'components')]).toEqual([counts, relations]);
      if (!died) break;
    }
  });

  it('makes new versions when the file is imported again', async () => {
    await (await stepOfSheets(HOUSE)).run();
    platform.addFile('cobie', 'cobie-2', 'house.xlsx', await workbookFile({ sheets: [{ name: 'Space', rows: [['Name'], ['1']] }] }));
    await new ComponentStep(cobieImport, { _fileId: 'cobie', _fileVersionId: 'cobie-2' }, platform.url, newUuid()).run();
    expect(platform.items.all.map(({ versions }) => versions.length)).toEqual(Array.from({ length: 10 }, () => 2));
    expect([items('spaces').length, platform.items.ofType('cobie_spaces').versions[0]?.items.size]).toEqual([1, 3]);
  });
});
