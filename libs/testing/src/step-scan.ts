/**
 * Counts what an IFC file holds from its text alone, with no IFC parser: the other means by which tests check the import.
 * IFC2X3 and IFC4. Throws on a rooted class that it does not know, so that nothing is passed over in silence.
 */
import { readStep, refOf, refsOf, type StepRecord, textOf } from './step-text-reader';

export interface ScannedProperty {
  readonly set: string;
  readonly name: string;
  /** The value of an IfcPropertySingleValue or a quantity as the file writes it, `IFCLABEL('Concrete')`; empty for others. */
  readonly written: string;
}

export interface StepScan {
  /** GlobalId → class in capitals, of every IfcProduct. */
  readonly products: ReadonlyMap<string, string>;
  /** GlobalIds of the products that have a representation named Body. */
  readonly withBody: ReadonlySet<string>;
  /** Class in capitals → number of products. */
  readonly productsByClass: ReadonlyMap<string, number>;
  /** GlobalId → class in capitals, of every IfcTypeObject. */
  readonly types: ReadonlyMap<string, string>;
  /** GlobalId of a product → GlobalId of its type. */
  readonly typeOf: ReadonlyMap<string, string>;
  readonly storeys: readonly { readonly globalId: string; readonly name: string }[];
  /** Properties and quantities of all products together, each counted for each product that has it. */
  readonly totalProperties: number;
  /** Of a product or a type. */
  propertiesOf(globalId: string): number;
  propertyList(globalId: string): readonly ScannedProperty[];
  /** What IfcRelContainedInSpatialStructure puts into a container. */
  containedIn(globalId: string): readonly string[];
  /** The IfcWall and IfcWallStandardCase among these. */
  wallsOfStorey(globalId: string): readonly string[];
}

const PRODUCTS = new Set(
  `ANNOTATION GRID PROXY SITE BUILDING BUILDINGSTOREY SPACE SPATIALZONE PORT DISTRIBUTIONPORT BEAM BEAMSTANDARDCASE BUILDINGELEMENTPROXY
  CHIMNEY COLUMN COLUMNSTANDARDCASE COVERING CURTAINWALL DOOR DOORSTANDARDCASE FOOTING MEMBER MEMBERSTANDARDCASE PILE PLATE PLATESTANDARDCASE
  RAILING RAMP RAMPFLIGHT ROOF SHADINGDEVICE SLAB SLABELEMENTEDCASE SLABSTANDARDCASE STAIR STAIRFLIGHT WALL WALLELEMENTEDCASE
  WALLSTANDARDCASE WINDOW WINDOWSTANDARDCASE OPENINGELEMENT OPENINGSTANDARDCASE PROJECTIONELEMENT VIRTUALELEMENT ELEMENTASSEMBLY
  FURNISHINGELEMENT FURNITURE SYSTEMFURNITUREELEMENT TRANSPORTELEMENT FLOWTERMINAL FLOWSEGMENT FLOWFITTING FLOWCONTROLLER FLOWMOVINGDEVICE
  FLOWSTORAGEDEVICE FLOWTREATMENTDEVICE ENERGYCONVERSIONDEVICE DISTRIBUTIONELEMENT DISTRIBUTIONFLOWELEMENT DISTRIBUTIONCONTROLELEMENT
  DISTRIBUTIONCHAMBERELEMENT SENSOR ACTUATOR CONTROLLER ALARM SANITARYTERMINAL LIGHTFIXTURE OUTLET AIRTERMINAL SPACEHEATER
  FASTENER MECHANICALFASTENER REINFORCINGBAR REINFORCINGMESH DISCRETEACCESSORY`.split(/\s+/).map((name) => `IFC${name}`),
);
/** Rooted, and neither product nor type: project, groups, definitions and relations. */
const OTHER_ROOTED = /^IFC(REL[A-Z]+|PROJECT|GROUP|ZONE|SYSTEM|DISTRIBUTIONSYSTEM|PROPERTYSET|ELEMENTQUANTITY|[A-Z]+PROPERTIES)$/;
const TYPES = /^IFC(?!REL)[A-Z]+(TYPE|STYLE)$/;
const GLOBAL_ID = /^[0-3][0-9A-Za-z_$]{21}$/;

export function scanStep(text: string): StepScan {
  const records = readStep(text);
  const rooted = new Map([...records].filter(([, record]) => GLOBAL_ID.test(textOf(record.args[0]) ?? '')));
  for (const { type } of rooted.values()) {
    if (!PRODUCTS.has(type) && !TYPES.test(type) && !OTHER_ROOTED.test(type)) throw new Error(`The scan does not know the class ${type}`);
  }
  const products = classes(rooted, (type) => PRODUCTS.has(type));
  const types = classes(rooted, (type) => TYPES.test(type));
  const properties = propertiesByObject(records, new Set([...products.keys(), ...types.keys()]));
  const containment = relation(records, 'IFCRELCONTAINEDINSPATIALSTRUCTURE', { whole: 5, parts: 4 });
  const containedIn = (globalId: string) => containment.filter(([whole]) => whole === globalId).map(([, part]) => part);
  return {
    products,
    withBody: new Set([...rooted.values()].filter((record) => PRODUCTS.has(record.type) && hasBody(records, record)).map(({ args }) => textOf(args[0]) ?? '')),
    productsByClass: count(products.values()),
    types,
    typeOf: new Map(relation(records, 'IFCRELDEFINESBYTYPE', { whole: 5, parts: 4 }).map(([type, product]) => [product, type])),
    storeys: [...rooted.values()].filter(({ type }) => type === 'IFCBUILDINGSTOREY').map(({ args }) => ({ globalId: textOf(args[0]) ?? '', name: textOf(args[2]) ?? '' })),
    totalProperties: [...products.keys()].reduce((sum, globalId) => sum + (properties.get(globalId)?.length ?? 0), 0),
    propertiesOf: (globalId) => properties.get(globalId)?.length ?? 0,
    propertyList: (globalId) => properties.get(globalId) ?? [],
    containedIn,
    wallsOfStorey: (globalId) => containedIn(globalId).filter((id) => /^IFCWALL(STANDARDCASE)?$/.test(products.get(id) ?? '')),
  };
}

type Records = ReadonlyMap<number, StepRecord>;

function classes(rooted: Records, isWanted: (type: string) => boolean): Map<string, string> {
  const found = new Map<string, string>();
  for (const { type, args } of rooted.values()) {
    const globalId = textOf(args[0]) ?? '';
    if (!isWanted(type)) continue;
    if (found.has(globalId)) throw new Error(`The GlobalId ${globalId} is there twice`);
    found.set(globalId, type);
  }
  return found;
}

function hasBody(records: Records, product: StepRecord): boolean {
  const shape = records.get(refOf(product.args[6]) ?? 0);
  return refsOf(shape?.args[2]).some((id) => textOf(records.get(id)?.args[1]) === 'Body');
}

function relation(records: Records, type: string, at: { readonly whole: number; readonly parts: number }): [string, string][] {
  const globalId = (id: number) => textOf(records.get(id)?.args[0]) ?? '';
  return [...records.values()]
    .filter((record) => record.type === type)
    .flatMap(({ args }) => refsOf(args[at.parts]).map((part): [string, string] => [globalId(refOf(args[at.whole]) ?? 0), globalId(part)]));
}

function propertiesByObject(records: Records, wanted: ReadonlySet<string>): Map<string, ScannedProperty[]> {
  const sets = new Map<string, Set<number>>();
  const give = (object: StepRecord | undefined, defined: readonly number[]) => {
    const globalId = textOf(object?.args[0]) ?? '';
    sets.set(globalId, new Set([...(sets.get(globalId) ?? []), ...defined]));
  };
  for (const record of records.values()) {
    if (TYPES.test(record.type) && wanted.has(textOf(record.args[0]) ?? '')) give(record, refsOf(record.args[5]));
    if (record.type !== 'IFCRELDEFINESBYPROPERTIES') continue;
    refsOf(record.args[4]).forEach((object) => give(records.get(object), refsOf(record.args[5])));
  }
  const found = [...sets].filter(([globalId]) => wanted.has(globalId));
  return new Map(found.map(([globalId, ids]) => [globalId, [...ids].flatMap((id) => propertiesOfSet(records, id))]));
}

function propertiesOfSet(records: Records, id: number): ScannedProperty[] {
  const record = records.get(id);
  if (!record) return [];
  const set = textOf(record.args[2]) ?? '';
  if (record.type === 'IFCPROPERTYSET') return refsOf(record.args[4]).flatMap((member) => leaves(records, member, set));
  if (record.type === 'IFCELEMENTQUANTITY') return refsOf(record.args[5]).flatMap((member) => leaves(records, member, set));
  return record.args.slice(4).filter((arg) => arg !== '$' && !arg.startsWith('#')).map((written) => ({ set, name: '', written }));
}

/** The parts of a complex property count, not the complex property. */
function leaves(records: Records, id: number, set: string): ScannedProperty[] {
  const record = records.get(id);
  if (!record) return [];
  if (record.type === 'IFCCOMPLEXPROPERTY') return refsOf(record.args[3]).flatMap((member) => leaves(records, member, set));
  if (record.type === 'IFCPHYSICALCOMPLEXQUANTITY') return refsOf(record.args[2]).flatMap((member) => leaves(records, member, set));
  return [{ set, name: textOf(record.args[0]) ?? '', written: writtenValue(record) }];
}

function writtenValue({ type, args }: StepRecord): string {
  if (type === 'IFCPROPERTYSINGLEVALUE') return args[2] ?? '';
  return type.startsWith('IFCQUANTITY') ? (args[3] ?? '') : '';
}

function count(values: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}
