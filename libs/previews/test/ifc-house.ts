/** Metres per unit of the file. */
const UNITS = { METRE: 1, MILLIMETRE: 0.001, FOOT: 0.3048, INCH: 0.0254 } as const;

export interface HouseOptions {
  readonly unit?: keyof typeof UNITS;
  /** Of the site, in metres. */
  readonly at?: Corner;
  /** Degrees, counter-clockwise, of the whole site. */
  readonly turn?: number;
  /** Times as large as a house. */
  readonly size?: number;
  /** Whether its walls stand in storeys. */
  readonly inStoreys?: boolean;
  readonly schema?: 'IFC2X3' | 'IFC4' | 'IFC4X3_ADD2';
}

/** What a product stands on. */
export interface Ground {
  readonly entity: string;
  readonly placement: string;
  readonly context: string;
}

type Corner = readonly [x: number, y: number, z: number];

/** Writes an IFC file entity by entity. */
export class IfcText {
  private readonly lines: string[] = [];
  private globalIds = 0;

  constructor(private readonly schema: string, readonly length: (metres: number) => string) {}

  add(entity: string): string {
    this.lines.push(`#${this.lines.length + 1}=${entity};`);
    return `#${this.lines.length}`;
  }

  /** Of an object with a global id, whose number takes the place of `@`. */
  root(entity: string): string {
    this.globalIds++;
    return this.add(entity.replace('@', `'${String(this.globalIds).padStart(22, '0')}'`));
  }

  point(...metres: readonly number[]): string {
    return this.add(`IFCCARTESIANPOINT((${metres.map(this.length).join(',')}))`);
  }

  placement(parent: string, [x, y, z]: Corner, degrees = 0): string {
    const turn = (degrees * Math.PI) / 180;
    const up = this.add('IFCDIRECTION((0.,0.,1.))');
    const right = this.add(`IFCDIRECTION((${real(Math.cos(turn))},${real(Math.sin(turn))},0.))`);
    return this.add(`IFCLOCALPLACEMENT(${parent},${this.add(`IFCAXIS2PLACEMENT3D(${this.point(x, y, z)},${up},${right})`)})`);
  }

  /** A block that stands on z = bottom, from one corner to the other; the shape of a product. */
  block(context: string, [x0, y0, bottom]: Corner, [x1, y1, top]: Corner): string {
    const corners = [[x0, y0], [x1, y0], [x1, y1], [x0, y1], [x0, y0]] as const;
    const line = this.add(`IFCPOLYLINE((${corners.map(([x, y]) => this.point(x, y)).join(',')}))`);
    const profile = this.add(`IFCARBITRARYCLOSEDPROFILEDEF(.AREA.,$,${line})`);
    const position = this.add(`IFCAXIS2PLACEMENT3D(${this.point(0, 0, bottom)},$,$)`);
    const solid = this.add(`IFCEXTRUDEDAREASOLID(${profile},${position},${this.add('IFCDIRECTION((0.,0.,1.))')},${this.length(top - bottom)})`);
    return this.shape(context, solid);
  }

  shape(context: string, ...items: readonly string[]): string {
    return this.add(`IFCPRODUCTDEFINITIONSHAPE($,$,(${this.add(`IFCSHAPEREPRESENTATION(${context},'Body','SweptSolid',(${items.join(',')}))`)}))`);
  }

  toString(): string {
    const header = ['ISO-10303-21;', 'HEADER;', "FILE_DESCRIPTION((''),'2;1');", "FILE_NAME('','',(''),(''),'','','');", `FILE_SCHEMA(('${this.schema}'));`, 'ENDSEC;', 'DATA;'];
    return [...header, ...this.lines, 'ENDSEC;', 'END-ISO-10303-21;', ''].join('\n');
  }
}

/** STEP wants a point in every real. */
export const real = (value: number) => (Number.isInteger(value) ? `${value}.` : value.toFixed(9));

/** An IFC file with a unit, a site and a storey to put things on; what is in it, `fill` says. */
export function ifcModel(options: HouseOptions, fill: (file: IfcText, ground: Ground) => readonly string[]): Uint8Array {
  const { unit = 'METRE', at = [0, 0, 0], turn = 0, size = 1, inStoreys = true, schema = 'IFC4' } = options;
  const file = new IfcText(schema, (metres) => real((metres * size) / UNITS[unit]));
  const context = file.add(`IFCGEOMETRICREPRESENTATIONCONTEXT($,'Model',3,1.E-5,${file.add(`IFCAXIS2PLACEMENT3D(${file.point(0, 0, 0)},$,$)`)},$)`);
  const units = file.add(`IFCUNITASSIGNMENT((${lengthUnit(file, unit)}))`);
  const project = file.root(`IFCPROJECT(@,$,'House',$,$,$,$,(${context}),${units})`);
  const ground = file.placement('$', at, turn);
  const site = file.root(`IFCSITE(@,$,'Site',$,$,${ground},$,$,.ELEMENT.,$,$,$,$,$)`);
  const building = file.root(`IFCBUILDING(@,$,'House',$,$,${ground},$,$,.ELEMENT.,$,$,$)`);
  const entity = inStoreys ? file.root(`IFCBUILDINGSTOREY(@,$,'Ground floor',$,$,${ground},$,$,.ELEMENT.,0.)`) : building;
  file.root(`IFCRELAGGREGATES(@,$,$,$,${project},(${site}))`);
  file.root(`IFCRELAGGREGATES(@,$,$,$,${site},(${building}))`);
  if (inStoreys) file.root(`IFCRELAGGREGATES(@,$,$,$,${building},(${entity}))`);
  const products = fill(file, { entity, placement: ground, context });
  if (products.length > 0) file.root(`IFCRELCONTAINEDINSPATIALSTRUCTURE(@,$,$,$,(${products.join(',')}),${entity})`);
  return new TextEncoder().encode(file.toString());
}

function lengthUnit(file: IfcText, unit: keyof typeof UNITS): string {
  if (unit === 'METRE') return file.add('IFCSIUNIT(*,.LENGTHUNIT.,$,.METRE.)');
  if (unit === 'MILLIMETRE') return file.add('IFCSIUNIT(*,.LENGTHUNIT.,.MILLI.,.METRE.)');
  const metre = file.add('IFCSIUNIT(*,.LENGTHUNIT.,$,.METRE.)');
  const measure = file.add(`IFCMEASUREWITHUNIT(IFCLENGTHMEASURE(${UNITS[unit]}),${metre})`);
  const dimensions = file.add('IFCDIMENSIONALEXPONENTS(1,0,0,0,0,0,0)');
  return file.add(`IFCCONVERSIONBASEDUNIT(${dimensions},.LENGTHUNIT.,'${unit}',${measure})`);
}

/** Ten metres by six, walls of 0.3 m, a door of 1 m and a window of 1.5 m in the south; the door hangs on the left and opens inwards. */
export const HOUSE = { width: 10, depth: 6, wall: 0.3, door: 1, window: 1.5, height: 2.8 } as const;
export const WALLS_AREA = HOUSE.width * HOUSE.depth - (HOUSE.width - 0.6) * (HOUSE.depth - 0.6) - (HOUSE.door + HOUSE.window) * HOUSE.wall;

export function house(options: HouseOptions = {}, more: (file: IfcText, ground: Ground) => readonly string[] = () => []): Uint8Array {
  const isOld = options.schema === 'IFC2X3';
  return ifcModel(options, (file, ground) => {
    const product = (type: string, from: Corner, to: Corner, rest: string) =>
      file.root(`${type}(@,$,'${type}',$,$,${ground.placement},${file.block(ground.context, from, to)},$${rest})`);
    const wall = (from: Corner, to: Corner) => product('IFCWALL', from, to, isOld ? '' : ',$');
    const south = wall([0, 0, 0], [10, 0.3, HOUSE.height]);
    const others = [wall([0, 5.7, 0], [10, 6, HOUSE.height]), wall([0, 0.3, 0], [0.3, 5.7, HOUSE.height]), wall([9.7, 0.3, 0], [10, 5.7, HOUSE.height])];
    const hole = (from: Corner, to: Corner) => file.root(`IFCRELVOIDSELEMENT(@,$,$,$,${south},${product('IFCOPENINGELEMENT', from, to, isOld ? '' : ',$')})`);
    hole([2, -0.1, 0], [3, 0.4, 2.1]);
    hole([6, -0.1, 0.9], [7.5, 0.4, 2.1]);
    const hinge = file.placement(ground.placement, [2, 0.15, 0]);
    const leaf = file.block(ground.context, [0, -0.025, 0], [1, 0.025, 2.1]);
    const door = file.root(`IFCDOOR(@,$,'Door',$,$,${hinge},${leaf},$,$,$${isOld ? '' : ',.DOOR.,.SINGLE_SWING_LEFT.,$'})`);
    const window = product('IFCWINDOW', [6, 0.1, 0.9], [7.5, 0.2, 2.1], isOld ? ',$,$' : ',$,$,$,$,$');
    const slab = product('IFCSLAB', [0, 0, -0.3], [10, 6, 0], ',.FLOOR.');
    return [south, ...others, door, window, slab, ...more(file, ground)];
  });
}
