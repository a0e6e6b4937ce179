import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAtHand } from '@twinyard/testing/shared-data';
import { HOUSE, house, type HouseOptions, ifcModel, type IfcText, WALLS_AREA } from '../../test/ifc-house';
import { areaOf, boundsOf, layerOf, pathsOf } from '../../test/plan-reading';
import { NoPicture } from '../picture';
import { drawPlan } from './draw-plan';

const ROOT = join(__dirname, '../../../..');
const refusal = async (bytes: Uint8Array | string) => {
  const error = await drawPlan(typeof bytes === 'string' ? Buffer.from(bytes) : bytes).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(NoPicture);
  return (error as NoPicture).refusal;
};
const text = (options?: HouseOptions) => Buffer.from(house(options)).toString();
const broken = (from: RegExp | string, to: string) => Buffer.from(text().replace(from, to));

describe('the plan of a house of four walls', () => {
  let svg: string;
  let scale: number;

  beforeAll(async () => {
    svg = await drawPlan(house());
    const { width } = boundsOf(layerOf(svg, 'wall'));
    scale = width / HOUSE.width;
  });

  it('fills the picture, white, without text', () => {
    const { width, height, left, top } = boundsOf(layerOf(svg, 'wall'));
    expect(svg).toMatch(/^<svg [^>]*width="640" height="480" viewBox="0 0 640 480">\n<rect width="640" height="480" fill="#ffffff"\/>/);
    expect(svg).not.toMatch(/<text|<image|href|\d\.\d{3}|NaN|Infinity|-0[ "LMz]/);
    expect(left).toBeCloseTo(24, 1);
    expect(width).toBeCloseTo(592, 1);
    expect(height / width).toBeCloseTo(HOUSE.depth / HOUSE.width, 3);
    expect(top + height / 2).toBeCloseTo(240, 1);
  });

  it('has the area of the walls in it, without that of the door and the window', () => {
    const area = layerOf(svg, 'wall').reduce((sum, ring) => sum + areaOf(ring), 0);
    expect(area / scale ** 2).toBeCloseTo(WALLS_AREA, 2);
  });

  it('has a window of its width in the wall, thinner than the wall, and a floor behind', () => {
    const window = boundsOf(layerOf(svg, 'glass'));
    expect(window.width / scale).toBeCloseTo(HOUSE.window, 2);
    expect(window.height / scale).toBeCloseTo(0.1, 2);
    expect((window.left - 24) / scale).toBeCloseTo(6, 2);
    expect(areaOf(layerOf(svg, 'floor')[0] ?? []) / scale ** 2).toBeCloseTo(HOUSE.width * HOUSE.depth, 2);
  });

  it('opens the door inwards, on its hinge at the left', () => {
    const [arc] = pathsOf(svg, 'swing');
    const [, fromX, fromY, toX, toY, radius, , freeX, freeY] = /^M([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)A([\d.]+) ([\d.]+) 0 0 1 ([\d.]+) ([\d.]+)$/.exec(arc ?? '')?.map(Number) as number[];
    expect(Number(radius) / scale).toBeCloseTo(HOUSE.door, 2);
    expect([(Number(fromX) - 24) / scale, (Number(freeX) - 24) / scale]).toEqual([expect.closeTo(2, 2), expect.closeTo(3, 2)]);
    expect([toX, freeY]).toEqual([fromX, fromY]);
    expect(Number(toY)).toBeCloseTo(Number(fromY) - Number(radius), 1);
  });

  it.each<[string, HouseOptions]>([
    ['in millimetres', { unit: 'MILLIMETRE' }], ['in feet', { unit: 'FOOT' }], ['in inches', { unit: 'INCH' }],
    ['far from zero', { at: [500_000, -5_000_000, 400] }], ['turned', { turn: 30 }], ['turned the other way', { turn: -40 }], ['turned by a quarter', { turn: 90 }],
    ['a thousand times as large', { size: 1_000 }], ['without storeys', { inStoreys: false }], ['of IFC 4.3', { schema: 'IFC4X3_ADD2' }],
  ])('is the same for the house %s', async (_, options) => {
    expect(await drawPlan(house(options))).toBe(svg);
  });

  it('is the same where the points themselves lie far from zero', async () => {
    const far = text().replace(/IFCCARTESIANPOINT\(\((-?[\d.]+),(-?[\d.]+)\)\)/g, (_, x: string, y: string) => `IFCCARTESIANPOINT((${(Number(x) + 5e5).toFixed(6)},${(Number(y) + 5e6).toFixed(6)}))`);
    expect(await drawPlan(Buffer.from(far))).toBe(svg);
  });

  it('draws a door that does not say how it opens as its leaf, in IFC 2x3', async () => {
    const old = await drawPlan(house({ schema: 'IFC2X3' }));
    expect(pathsOf(old, 'swing')).toEqual([]);
    expect(boundsOf(layerOf(old, 'leaf')).width / scale).toBeCloseTo(HOUSE.door, 2);
    expect(layerOf(old, 'wall')).toEqual(layerOf(svg, 'wall'));
  });

  it('leaves out what lies far away from everything else', async () => {
    const withStray = house({}, (file, ground) => [file.root(`IFCWALL(@,$,'stray',$,$,${ground.placement},${file.block(ground.context, [90_000, 0, 0], [90_001, 0.3, 3])},$,$)`)]);
    expect(await drawPlan(withStray)).toBe(svg);
  });
});

describe('what has no walls is drawn from above', () => {
  const block = (file: IfcText, context: string) => file.block(context, [0, 0, 0], [4, 3, 2]);
  const sides = (svg: string) => boundsOf(layerOf(svg, 'roof'));

  it('one body', async () => {
    const svg = await drawPlan(ifcModel({}, (file, { placement, context }) => [file.root(`IFCBUILDINGELEMENTPROXY(@,$,'x',$,$,${placement},${block(file, context)},$,$)`)]));
    expect(sides(svg).width / sides(svg).height).toBeCloseTo(4 / 3, 2);
  });

  it('a duct', async () => {
    const svg = await drawPlan(ifcModel({}, (file, { placement, context }) => [file.root(`IFCDUCTSEGMENT(@,$,'x',$,$,${placement},${file.block(context, [0, 0, 2], [0.4, 9, 2.3])},$,$)`)]));
    expect(sides(svg).width / sides(svg).height).toBeCloseTo(9 / 0.4, 0);
  });

  it('a site of rooms alone', async () => {
    const svg = await drawPlan(ifcModel({}, (file, { placement, context, entity }) => {
      const room = file.root(`IFCSPACE(@,$,'x',$,$,${placement},${block(file, context)},$,.ELEMENT.,.SPACE.,$)`);
      file.root(`IFCRELAGGREGATES(@,$,$,$,${entity},(${room}))`);
      return [];
    }));
    expect(sides(svg).width / sides(svg).height).toBeCloseTo(4 / 3, 2);
  });
});

describe('a file that cannot be drawn is refused', () => {
  const whole = text();

  it.each([
    ['empty', ''],
    ['of another kind', 'hello world'],
    ['of noise in an envelope', `ISO-10303-21;${Buffer.from(Array.from({ length: 9_999 }, (_, at) => (at * 7_919) % 256)).toString('latin1')}END-ISO-10303-21;`],
    ['cut off', whole.slice(0, whole.length / 2)],
    ['of an unknown schema', whole.replace('IFC4', 'IFC9')],
  ])('as broken: %s', async (_, bytes) => {
    expect(await refusal(bytes)).toBe('is broken');
  });

  // The parser would look for the end of these for ever.
  it.each([
    ['brackets that do not end', `#900=IFCWALL${'('.repeat(100_000)}\n`],
    ['a bracket that does not end', "#900=IFCWALL((/* ) */');');\n"],
    ['brackets the wrong way round', '#900=IFCWALL)(;\n'],
    ['no attributes', '#900=IFCWALL;\n'],
  ])('but for an entity with %s, without which it is drawn', async (_, broken) => {
    expect(await drawPlan(Buffer.from(whole.replace('DATA;\n', `DATA;\n${broken}`)))).toBe(await drawPlan(Buffer.from(whole)));
  });

  it('as broken: the only element contains itself', async () => {
    const circle = ifcModel({}, (file, { placement, context }) => {
      return [file.root(`IFCWALL(@,$,'x',$,$,${placement},${file.shape(context, '#900')},$,$)`)];
    });
    expect(await refusal(Buffer.from(circle).toString().replace('ENDSEC;\nEND-ISO', '#900=IFCBOOLEANRESULT(.UNION.,#900,#900);\nENDSEC;\nEND-ISO'))).toBe('is broken');
  });

  it('as broken: its only element cannot be read', async () => {
    expect(await refusal(Buffer.from(Buffer.from(ifcModel({}, () => [])).toString().replace('DATA;', 'DATA;\n#900=IFCWALL((;')))).toBe('is broken');
  });

  it('as empty: nothing that can be seen', async () => {
    expect(await refusal(ifcModel({}, () => []))).toBe('has nothing to show');
  });

  it('without a word on the console', async () => {
    const spies = (['log', 'warn', 'error'] as const).map((method) => jest.spyOn(console, method).mockImplementation(() => undefined));
    await refusal(whole.replace('IFC4', 'IFC9'));
    await drawPlan(broken(/=IFCEXTRUDEDAREASOLID\([^;]*\)/, '=IFCBOOLEANRESULT(.UNION.,#41,#41)'));
    spies.forEach((spy) => expect(spy).not.toHaveBeenCalled());
    spies.forEach((spy) => spy.mockRestore());
  });
});

describe('a file with faults is drawn as far as it makes sense', () => {
  const others = 3;

  it.each([
    ['a body that contains itself', /#(\d+)=IFCEXTRUDEDAREASOLID\([^;]*\)/, '#$1=IFCBOOLEANRESULT(.UNION.,#$1,#$1)'],
    ['a profile without its line', /(IFCARBITRARYCLOSEDPROFILEDEF\(.AREA.,\$),#\d+/, '$1,$'],
    ['a point that is nowhere', '(10.,0.300000000)', '(1.E400,-1.E400)'],
    ['a point without numbers', '(10.,0.300000000)', '(-nan(ind),1.#INF)'],
  ])('%s', async (_, from, to) => {
    const svg = await drawPlan(broken(from, to));
    expect(layerOf(svg, 'wall').length).toBe(others);
    expect(layerOf(svg, 'floor')).toHaveLength(1);
  });

  it('a placement that hangs on itself', async () => {
    expect(layerOf(await drawPlan(broken(/#(\d+)=IFCLOCALPLACEMENT\(\$/, '#$1=IFCLOCALPLACEMENT(#$1')), 'wall').length).toBeGreaterThanOrEqual(others);
  });
});

describe.each([
  ['tools/sample/sample-building.ifc', { walls: 6, doors: 4, area: [7, 25] }],
  ['../shared/data/duplex.ifc', { walls: 20, doors: 6, area: [20, 60] }],
  ['../shared/data/office-a.ifc', { walls: 150, doors: 40, area: [100, 500] }],
] as const)('the plan of %s', (path, least) => {
  const file = join(ROOT, path);
  const there = isAtHand(path);
  (there ? it : it.skip)('has its walls, doors and rooms', async () => {
    const svg = await drawPlan(readFileSync(file));
    expect(layerOf(svg, 'wall').length).toBeGreaterThanOrEqual(least.walls);
    expect(pathsOf(svg, 'swing').length).toBeGreaterThanOrEqual(least.doors);
    expect(layerOf(svg, 'room').length).toBeGreaterThanOrEqual(4);
    expect(svg.length).toBeLessThan(100_000);
  });
});
