import { ServiceError } from '@twinyard/conventions';
import { IfcAPI } from 'web-ifc';
import { ifcText } from '@twinyard/testing/ifc-text';
import type { IfcModel } from './ifc-model';
import { readIfc } from './read-ifc';

const WALL = `#1=IFCWALL('0000000000000000000001',$,'W',$,$,$,$,$,$);`;
const bytes = (text: string) => new TextEncoder().encode(text);
/** Complex properties, each of which names the next twice. */
const unfolding = (levels: number) =>
  Array.from({ length: levels }, (_, level) => `#${10 + level}=IFCCOMPLEXPROPERTY('c',$,'u',(#${11 + level},#${11 + level}));`).join('');
const whole = ifcText(WALL);

describe('a file that cannot be read is refused as invalid', () => {
  it.each([
    ['is empty', ''],
    ['is text of another kind', 'hello world'],
    ['is a ZIP archive', 'PK\u0003\u0004....'],
    ['is ifcXML', '<?xml version="1.0"?><ifcXML/>'],
    ['is all NUL', '\0'.repeat(10_000)],
    ['ends in its header', 'ISO-10303-21;\nHEADER;\n'],
    ['ends in its data', whole.slice(0, whole.indexOf('ENDSEC;\nEND-ISO'))],
    ['ends in a text', `${whole.slice(0, whole.indexOf("'W'") + 2)}`],
    ['names no schema', whole.replace(/FILE_SCHEMA.*\n/, '')],
    ['names an unknown schema', whole.replace('IFC4', 'IFC9')],
    ['has no header', 'ISO-10303-21;\nDATA;\nENDSEC;\nEND-ISO-10303-21;\n'],
    ['unfolds one property into a million', ifcText(`${WALL}${unfolding(20)}#90=IFCPROPERTYSET('s',$,'Set',$,(#10));#91=IFCRELDEFINESBYPROPERTIES('r',$,$,$,(#1),#90);`)],
    ['is broken all over', ifcText(`${Array.from({ length: 5_000 }, (_, n) => `#${n + 1}=A('/**/,$/*`).join('\n')}*/'`)],
  ])('%s', async (_, text) => {
    const error = await readIfc(bytes(text)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ code: 'invalid', message: expect.stringMatching(/IFC file|The file is empty/) as unknown });
  });
});

describe('a file with faults in its data is read as far as it makes sense', () => {
  it.each([
    ['points to entities that are not there', `${WALL}#2=IFCRELDEFINESBYPROPERTIES('r',$,$,$,(#1,#77),#78);#3=IFCRELCONTAINEDINSPATIALSTRUCTURE('c',$,$,$,(#1),#79);#4=IFCRELDEFINESBYTYPE('t',$,$,$,(#1),#80);`],
    ['points to numbers past all bounds', `${WALL}#2=IFCRELDEFINESBYPROPERTIES('r',$,$,$,(#1,#99999999999999999999),#99999999999999999999);`],
    ['leaves out attributes', `#1=IFCWALL('0000000000000000000001',$,'W');`],
    ['has parts in a circle', `${WALL}#2=IFCRELAGGREGATES('a',$,$,$,#1,(#3));#3=IFCRELAGGREGATES('b',$,$,$,#3,(#1));`],
    ['has an entity that its schema does not know', `${WALL}#2=IFCNOSUCHTHING('x',$);`],
  ])('%s', async (_, data) => {
    const { elements } = await readIfc(bytes(ifcText(data)));
    expect(elements).toEqual([expect.objectContaining({ key: 1, sourceId: '0000000000000000000001', ifcClass: 'IfcWall', name: 'W', properties: {} })]);
    expect(elements[0]).not.toHaveProperty('containerKey');
    expect(elements[0]).not.toHaveProperty('typeKey');
  });

  it('survives an entity number past all bounds', async () => {
    const { elements } = await readIfc(bytes(ifcText(WALL.replace('#1', '#4294967295'))));
    expect(elements).toHaveLength(1);
  });

  it('survives complex properties in a circle', async () => {
    const circle = `${WALL}#2=IFCCOMPLEXPROPERTY('a',$,'u',(#3));#3=IFCCOMPLEXPROPERTY('b',$,'u',(#2));#4=IFCPROPERTYSET('s',$,'Set',$,(#2));#5=IFCRELDEFINESBYPROPERTIES('r',$,$,$,(#1),#4);`;
    expect((await readIfc(bytes(ifcText(circle)))).elements).toHaveLength(1);
  });
});

describe('a file of which a part cannot be read', () => {
  const wall = (number: number | string, name: string) => `#${number}=IFCWALL('${String(number).padStart(22, '0')}',$,${name},$,$,$,$,$,$);`;
  const readText = (data: string) => readIfc(bytes(ifcText(data)));
  const namesOf = ({ elements }: IfcModel) => elements.map(({ name }) => name);
  const property = (value: string) =>
    `${wall(1, "'W'")}\n#2=IFCPROPERTYSINGLEVALUE('p',$,${value},$);\n#3=IFCPROPERTYSET('s',$,'Set',$,(#2));\n#4=IFCRELDEFINESBYPROPERTIES('r',$,$,$,(#1),#3);\n${wall(5, "'next'")}`;

  it.each<[string, string, string[], string]>([
    ['a § that is written with a quote', wall(1, "'A \\S\\''"), ['A §', 'B', 'C'], ''],
    ['names of entities in mixed case', wall(1, "'A'").replace('IFCWALL', 'IfcWall'), ['A', 'B', 'C'], ''],
    ['an apostrophe that is not doubled', wall(1, "'Tom's'"), ["Tom's", 'B', 'C'], 'mended #1=IFCWALL 8'],
    ['an open text', wall(1, "'A"), ['B', 'C'], 'unreadable #1=IFCWALL 8'],
    ['a bracket too many', wall(1, "'A')"), ['B', 'C'], 'unreadable #1=IFCWALL 8'],
    ['an entity that its schema does not have', wall(1, "'A'").replace('IFCWALL', 'IFCWALLE'), ['B', 'C'], 'unknown #1=IFCWALLE 8'],
    ['an entity without any attribute', '#1=IFCWALL();', ['B', 'C'], 'lost #1=IFCWALL 8'],
    ['a number that is there twice', wall(2, "'A'"), ['A', 'C'], 'twice #2=IFCWALL 9'],
    ['a name that is no value', wall(1, 'nan'), ['', 'B', 'C'], 'value #1=IFCWALL 8'],
    ['an entity that is not there', wall(1, "'A'").replace("$,'A'", "#77,'A'"), ['A', 'B', 'C'], 'dangling #1=IFCWALL (#77) 8'],
  ])('keeps the rest of it: %s', async (_, first, names, fault) => {
    const model = await readText([first, wall(2, "'B'"), wall(3, "'C'")].join('\n'));
    expect(namesOf(model)).toEqual(names);
    expect(model.report.faults.flatMap(({ kind, places }) => places.map(({ entity, line }) => `${kind} ${entity} ${line}`)).join()).toBe(fault);
    expect([model.report.entities, model.report.entities - model.report.skipped]).toEqual([3, names.length]);
  });

  it.each<[string, unknown, string]>([
    ['IFCREAL(.5)', 0.5, 'number'], ['IFCREAL(1.5e3)', 1_500, 'number'], ['IFCREAL(-1.#IND)', null, 'null'], ['IFCREAL(1.52.3)', null, 'null'], ['IFCREAL(nan)', null, 'null'],
    ['IFCREAL(1.E400)', '1.E400', 'string'], ['nan.', null, 'null'], ['IfcBoolean(.t.)', true, 'boolean'], ['IFCLOGICAL(.u.)', null, 'logical'], ['IFCINTEGER(9007199254740991)', 9_007_199_254_740_991, 'integer'],
    ['IFCINTEGER(9007199254740993)', '9007199254740993', 'integer'], ['IFCINTEGER(-9007199254740993)', '-9007199254740993', 'integer'], ['IFCCOUNTMEASURE(9007199254740993)', '9007199254740993', 'integer'],
    ["IFCLABEL('9007199254740993')", '9007199254740993', 'string'],
  ])('reads the property %s as %p', async (written, val, type) => {
    const model = await readText(property(written));
    expect(namesOf(model)).toEqual(['W', 'next']);
    expect(model.elements[0]?.properties['p']).toMatchObject({ val, type });
  });

  it('tells entities apart by numbers of any size, and keeps these', async () => {
    const numbers = ['20', '4294967316', '9223372036854775807'];
    const model = await readText([...numbers.map((number) => wall(number, `'${number}'`)), "#30=IFCBUILDINGSTOREY('s',$,'S',$,$,$,$,$,$,0.);", `#31=IFCRELCONTAINEDINSPATIALSTRUCTURE('c',$,$,$,(#4294967316,#20),#30);`].join('\n'));
    expect(model.elements.map(({ key, name, containerKey }) => [key, name, containerKey])).toEqual([[20, '20', 30], [30, 'S', undefined], [4_294_967_316, '4294967316', 30], ['9223372036854775807', '9223372036854775807', undefined]]);
    expect(model.report).toEqual({ entities: 5, skipped: 0, faults: [] });
  });

  it('tells of entities that the parser does not know of, though it was given them', async () => {
    const all = IfcAPI.prototype.GetAllLines;
    const forgetful = jest.spyOn(IfcAPI.prototype, 'GetAllLines').mockImplementation(function (this: IfcAPI, model: number) {
      const known = [...all.call(this, model)].filter((id) => id !== 2);
      return Object.assign(known, { size: () => known.length, get: (at: number) => known[at] as number });
    });
    const { report } = await readText([wall(1, "'A'"), wall(2, "'B'"), wall(3, "'C'")].join('\n')).finally(() => forgetful.mockRestore());
    expect(report).toEqual({ entities: 3, skipped: 1, faults: [{ kind: 'lost', count: 1, places: [{ entity: '#2=IFCWALL', line: 9 }] }] });
  });

  it('says that a direction without numbers has none, and reads on', async () => {
    const model = await readText(`#1=IFCDIRECTION((-nan(ind).,-nan(ind).,-nan(ind).));\n${wall(2, "'B'")}`);
    expect([namesOf(model), model.report.faults.map(({ kind, count }) => [kind, count])]).toEqual([['B'], [['value', 3]]]);
  });
});
