import { ServiceError } from '@twinyard/conventions';
import { ifcText } from '../../test/ifc-text';
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
    ['has an open text, and its end mark', ifcText(`#1=IFCWALL('0000`)],
    ['names no schema', whole.replace(/FILE_SCHEMA.*\n/, '')],
    ['names an unknown schema', whole.replace('IFC4', 'IFC9')],
    ['has no header', 'ISO-10303-21;\nDATA;\nENDSEC;\nEND-ISO-10303-21;\n'],
    ['is nested without end', ifcText(`#1=IFCWALL(${'('.repeat(100_000)}`)],
    ['has one bracket without end', ifcText(`#1=IFCWALL((/* ) */');');\n${WALL}`)],
    ['has brackets the wrong way round', ifcText('#1=IFCWALL)(;')],
    ['unfolds one property into a million', ifcText(`${WALL}${unfolding(20)}#90=IFCPROPERTYSET('s',$,'Set',$,(#10));#91=IFCRELDEFINESBYPROPERTIES('r',$,$,$,(#1),#90);`)],
    ['defines an entity twice', ifcText(`${WALL}\n${WALL}`)],
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
