import { ifcText } from '@twinyard/testing/ifc-text';
import type { IfcProperties } from './ifc-model';
import { readIfc } from './read-ifc';

const UNITS = `
#200=IFCPROJECT('p',$,'P',$,$,$,$,$,#201);
#201=IFCUNITASSIGNMENT((#202,#203,#204,#205,#209));
#202=IFCSIUNIT(*,.LENGTHUNIT.,.MILLI.,.METRE.);
#203=IFCSIUNIT(*,.AREAUNIT.,$,.SQUARE_METRE.);
#204=IFCCONVERSIONBASEDUNIT($,.PLANEANGLEUNIT.,'DEGREE',$);
#205=IFCDERIVEDUNIT((#206,#207,#208),.THERMALTRANSMITTANCEUNIT.,$,$);
#206=IFCDERIVEDUNITELEMENT(#210,1);
#207=IFCDERIVEDUNITELEMENT(#211,-2);
#208=IFCDERIVEDUNITELEMENT(#212,-1);
#209=IFCMONETARYUNIT('EUR');
#210=IFCSIUNIT(*,.POWERUNIT.,$,.WATT.);
#211=IFCSIUNIT(*,.LENGTHUNIT.,$,.METRE.);
#212=IFCSIUNIT(*,.THERMODYNAMICTEMPERATUREUNIT.,$,.KELVIN.);`;

/** The properties of a wall that has one set `Set` of these members, given as `#10=…;#11=…`, and what else is defined. */
async function read(members: string, more = ''): Promise<IfcProperties> {
  const ids = [...members.matchAll(/#(1\d)=/g)].map(([, id]) => `#${id}`).join(',');
  const { elements } = await readIfc(
    new TextEncoder().encode(
      ifcText(`#1=IFCWALL('w',$,'W',$,$,$,$,$,$);#2=IFCPROPERTYSET('s',$,'Set',$,(${ids}));#3=IFCRELDEFINESBYPROPERTIES('r',$,$,$,(#1),#2);${members}${more}${UNITS}`),
    ),
  );
  return elements[0]?.properties ?? {};
}

const single = (id: number, name: string, value: string, unit = '$') => `#${id}=IFCPROPERTYSINGLEVALUE('${name}',$,${value},${unit});`;
const names = { dName: 'p', psDispName: 'Set' };

describe('properties', () => {
  it.each([
    ["IFCLABEL('x')", { val: 'x', type: 'string' }],
    ["IFCLABEL('')", { val: '', type: 'string' }],
    ['IFCREAL(0.1234567890123456)', { val: 0.1234567890123456, type: 'number' }],
    ['IFCREAL(-2.)', { val: -2, type: 'number' }],
    ['IFCREAL(1.E400)', { val: '1.E400', type: 'string' }],
    ['IFCINTEGER(7)', { val: 7, type: 'integer' }],
    ['IFCBOOLEAN(.T.)', { val: true, type: 'boolean' }],
    ['IFCBOOLEAN(.F.)', { val: false, type: 'boolean' }],
    ['IFCLOGICAL(.F.)', { val: false, type: 'logical' }],
    ['IFCLOGICAL(.U.)', { val: null, type: 'logical' }],
    ['$', { val: null, type: 'null' }],
    ['IFCBINARY("0FF")', { val: '0FF', type: 'string' }],
    ['IFCLENGTHMEASURE(12.5)', { val: 12.5, type: 'number', uom: 'mm' }],
    ['IFCPOSITIVELENGTHMEASURE(12.5)', { val: 12.5, type: 'number', uom: 'mm' }],
    ['IFCAREAMEASURE(3.)', { val: 3, type: 'number', uom: 'm²' }],
    ['IFCPLANEANGLEMEASURE(90.)', { val: 90, type: 'number', uom: '°' }],
    ['IFCTHERMALTRANSMITTANCEMEASURE(0.24)', { val: 0.24, type: 'number', uom: 'W/(m²·K)' }],
    ['IFCMONETARYMEASURE(5.)', { val: 5, type: 'number', uom: 'EUR' }],
    ['IFCRATIOMEASURE(0.5)', { val: 0.5, type: 'number' }],
  ])('reads %s', async (value, expected) => {
    expect(await read(single(10, 'p', value))).toEqual({ p: { ...names, ...expected } });
  });

  it("takes a property's own unit before the file's", async () => {
    expect(await read(single(10, 'p', 'IFCLENGTHMEASURE(2.)', '#211'))).toEqual({ p: { ...names, val: 2, type: 'number', uom: 'm' } });
  });

  it.each([
    ["IFCPROPERTYENUMERATEDVALUE('p',$,(IFCLABEL('A'),IFCLABEL('B')),$)", { val: ['A', 'B'], type: 'enumeration' }],
    ["IFCPROPERTYLISTVALUE('p',$,(IFCLENGTHMEASURE(1.),IFCLENGTHMEASURE(2.)),$)", { val: [1, 2], type: 'list', uom: 'mm' }],
    ["IFCPROPERTYBOUNDEDVALUE('p',$,IFCREAL(5.),IFCREAL(1.),$,$)", { val: { lower: 1, upper: 5 }, type: 'bounded' }],
    ["IFCPROPERTYTABLEVALUE('p',$,(IFCREAL(1.),IFCREAL(2.)),(IFCLABEL('a'),IFCLABEL('b')),$,$,$,$)", { val: [{ defining: 1, defined: 'a' }, { defining: 2, defined: 'b' }], type: 'table' }],
    ["IFCPROPERTYREFERENCEVALUE('p',$,$,#50)", { val: { ifcClass: 'IfcMaterial', name: 'Oak' }, type: 'reference' }],
    ["IFCPROPERTYREFERENCEVALUE('p',$,$,#99)", { val: null, type: 'reference' }],
  ])('reads %s', async (property, expected) => {
    expect(await read(`#10=${property};`, `#50=IFCMATERIAL('Oak',$,$);`)).toEqual({ p: { ...names, ...expected } });
  });

  it('reads each part of a complex property as a property of its own', async () => {
    const found = await read(`#10=IFCCOMPLEXPROPERTY('Frame',$,'u',(#50,#51));`, single(50, 'Width', 'IFCREAL(1.)') + single(51, 'Depth', 'IFCREAL(2.)'));
    expect(found).toEqual({
      'Frame/Width': { val: 1, type: 'number', dName: 'Width', psDispName: 'Set' },
      'Frame/Depth': { val: 2, type: 'number', dName: 'Depth', psDispName: 'Set' },
    });
  });

  it.each([
    ["IFCQUANTITYLENGTH('q',$,$,4.,$)", 4, 'mm', 'number'],
    ["IFCQUANTITYAREA('q',$,$,4.,$)", 4, 'm²', 'number'],
    ["IFCQUANTITYVOLUME('q',$,$,4.,$)", 4, undefined, 'number'],
    ["IFCQUANTITYCOUNT('q',$,$,3,$)", 3, undefined, 'number'],
    ["IFCQUANTITYWEIGHT('q',$,$,4.,$)", 4, undefined, 'number'],
    ["IFCQUANTITYTIME('q',$,$,4.,$)", 4, undefined, 'number'],
  ])('reads the quantity %s', async (quantity, val, uom, type) => {
    const found = await read('', `#20=IFCELEMENTQUANTITY('e',$,'Qto',$,$,(#21));#21=${quantity};#22=IFCRELDEFINESBYPROPERTIES('r',$,$,$,(#1),#20);`);
    expect(found).toEqual({ q: { val, dName: 'q', psDispName: 'Qto', ...(uom && { uom }), type } });
  });

  it('reads several sets of one relation, and a predefined set by its attributes', async () => {
    const sets = `#20=IFCPROPERTYSET('e',$,'Two',$,(#21));${single(21, 'b', 'IFCREAL(1.)')}#22=IFCDOORLININGPROPERTIES('d',$,$,$,90.,$,$,$,$,$,$,$,$,$,$,$,$);`;
    const found = await read('', `${sets}#23=IFCRELDEFINESBYPROPERTIES('r',$,$,$,(#1),IFCPROPERTYSETDEFINITIONSET((#20,#22)));`);
    expect(found).toMatchObject({ b: { val: 1, psDispName: 'Two' }, LiningDepth: { val: 90, uom: 'mm', psDispName: 'IfcDoorLiningProperties' } });
    expect(Object.keys(found)).toHaveLength(2);
  });

  it('loses none of several properties with one name', async () => {
    const more = `#20=IFCPROPERTYSET('e',$,'Other',$,(#21,#22));${single(21, 'p', 'IFCREAL(2.)')}${single(22, 'p', 'IFCREAL(3.)')}#23=IFCRELDEFINESBYPROPERTIES('r',$,$,$,(#1),#20);`;
    const found = await read(single(10, 'p', 'IFCREAL(1.)'), more);
    expect(Object.entries(found).map(([key, { val }]) => [key, val])).toEqual([['p', 1], ['Other/p', 2], ['Other/p (2)', 3]]);
  });

  it('counts a set once that two relations give to one element', async () => {
    const found = await read(single(10, 'p', 'IFCREAL(1.)'), `#4=IFCRELDEFINESBYPROPERTIES('r2',$,$,$,(#1),#2);`);
    expect(Object.keys(found)).toEqual(['p']);
  });

  it('gives every property a key that an item may have, and keeps its name', async () => {
    const odd = ['$where', '__proto__', 'constructor', 'prototype', '.secret', 'Max. Width', '', 'a/b (c) ü'];
    const found = await read(odd.map((name, index) => single(10 + index, name, 'IFCREAL(1.)')).join(''));
    expect(Object.keys(found)).toEqual(['_where', '___proto__', '_constructor', '_prototype', '.secret', 'Max_ Width', 'unnamed', 'a/b (c) ü']);
    expect(Object.values(found).map(({ dName }) => dName)).toEqual(odd);
  });

  it('are those of a set that others have too, however many are read in between', async () => {
    const [count, sets] = [2_000, 51];
    const members = Array.from({ length: count }, (_, n) => single(1_000 + n, `p${n}`, `IFCINTEGER(${n})`)).join('');
    const ids = Array.from({ length: count }, (_, n) => `#${1_000 + n}`).join(',');
    const walls = Array.from({ length: sets + 1 }, (_, n) => `#${10_000 + n}=IFCWALL('w${n}',$,'W',$,$,$,$,$,$);`).join('');
    const defined = Array.from({ length: sets }, (_, n) => {
      const objects = n === 0 ? `#10000,#${10_000 + sets}` : `#${10_000 + n}`;
      return `#${20_000 + n}=IFCPROPERTYSET('s${n}',$,'Set ${n}',$,(${ids}));#${30_000 + n}=IFCRELDEFINESBYPROPERTIES('r${n}',$,$,$,(${objects}),#${20_000 + n});`;
    }).join('');
    const { elements } = await readIfc(new TextEncoder().encode(ifcText(members + walls + defined)));
    expect(elements.map(({ properties }) => Object.keys(properties).length)).toEqual(elements.map(() => count));
    expect(elements).toHaveLength(sets + 1);
    expect(elements[sets]?.properties).toEqual(elements[0]?.properties);
    expect(elements[sets]?.properties['p7']).toMatchObject({ val: 7, psDispName: 'Set 0' });
  });
});
