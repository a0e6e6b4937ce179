import { invalid } from '@twinyard/conventions';
import {
  IFCCOMPLEXPROPERTY, IFCELEMENTQUANTITY, IFCPHYSICALCOMPLEXQUANTITY, IFCPROPERTYSET, IFCRELDEFINESBYPROPERTIES,
} from 'web-ifc';
import { type IfcFile, type IfcLine, ref, refs, toToken } from './ifc-file';
import type { IfcProperty } from './ifc-model';
import { readUnits } from './ifc-units';
import { toScalar } from './ifc-values';
import type { NamedProperty } from './property-key';
import { type PropertyValue, readValue } from './property-values';

const MAX_NESTING = 16;
/** Complex properties can share their parts: a small file could unfold into any number of them. */
const MAX_PROPERTIES = 10_000;
/** Properties of sets that are kept for other objects that may share them: a large model has millions. */
const MAX_KEPT = 100_000;
const ROOT_ATTRIBUTES = new Set(['expressID', 'type', 'GlobalId', 'OwnerHistory', 'Name', 'Description']);

/** Reads the property sets of the file. One that many objects share is read once, unless it was not asked for in a long time. */
export class PropertySets {
  private readonly units;
  /** The one that was asked for last is the last. */
  private readonly read = new Map<number, readonly NamedProperty[]>();
  private kept = 0;

  constructor(private readonly file: IfcFile) {
    this.units = readUnits(file);
  }

  /** The sets of each object, in the file's order, through IfcRelDefinesByProperties. A file may name one twice. */
  byObject(): ReadonlyMap<number, readonly number[]> {
    const sets = new Map<number, number[]>();
    for (const relation of this.file.lines(IFCRELDEFINESBYPROPERTIES)) {
      const defined = definitions(relation);
      for (const object of refs(relation, 'RelatedObjects')) {
        const known = sets.get(object);
        if (known === undefined) sets.set(object, [...defined]);
        else known.push(...defined);
      }
    }
    return sets;
  }

  /** Of all these sets, each once. */
  properties(sets: Iterable<number>): NamedProperty[] {
    return [...new Set(sets)].flatMap((set) => this.ofSet(set));
  }

  private ofSet(id: number): readonly NamedProperty[] {
    const known = this.read.get(id);
    this.read.delete(id);
    const line = known === undefined ? this.file.line(id) : undefined;
    const found = known ?? (line ? this.readSet(line) : []);
    this.read.set(id, found);
    if (known === undefined) this.keep(found);
    return found;
  }

  private keep({ length }: readonly NamedProperty[]): void {
    this.kept += length + 1;
    for (const [id, properties] of this.read) {
      if (this.kept <= MAX_KEPT) return;
      this.read.delete(id);
      this.kept -= properties.length + 1;
    }
  }

  private readSet(set: IfcLine): NamedProperty[] {
    const name = this.file.text(set, 'Name') ?? this.file.className(set.type);
    const place: Place = { set: name, path: [], budget: { left: MAX_PROPERTIES } };
    if (set.type === IFCPROPERTYSET) return this.readMembers(set, 'HasProperties', place);
    if (set.type === IFCELEMENTQUANTITY) return this.readMembers(set, 'Quantities', place);
    return this.readAttributes(set, name);
  }

  private readMembers(owner: IfcLine, attribute: string, place: Place): NamedProperty[] {
    return refs(owner, attribute).flatMap((id) => {
      const line = this.file.line(id);
      return line ? this.readMember(line, place) : [];
    });
  }

  /** A complex property stands for its parts: each is an entry of its own, so that all are asked for in the same way. */
  private readMember(line: IfcLine, { set, path, budget }: Place): NamedProperty[] {
    if (budget.left-- === 0) throw invalid(`A property set of the IFC file has more than ${MAX_PROPERTIES} properties: ${set}`);
    const dName = this.file.text(line, 'Name') ?? '';
    const names = [...path, dName];
    const parts = partsOf(line);
    if (parts === undefined) {
      return [{ name: names.join('/'), property: this.toProperty(readValue(this.file, line), { dName, psDispName: set }, unitOf(line)) }];
    }
    return path.length >= MAX_NESTING ? [] : this.readMembers(line, parts, { set, path: names, budget });
  }

  /** A predefined set (IfcDoorLiningProperties…) has no members: its attributes are the properties. */
  private readAttributes(set: IfcLine, psDispName: string): NamedProperty[] {
    return Object.keys(set)
      .filter((name) => !ROOT_ATTRIBUTES.has(name) && isPlainValue(set[name]))
      .map((name) => ({ name, property: this.toProperty(toScalar(this.file, set[name]), { dName: name, psDispName }) }));
  }

  private toProperty(value: PropertyValue, names: Pick<IfcProperty, 'dName' | 'psDispName'>, ownUnit?: number): IfcProperty {
    const uom = (ownUnit === undefined ? undefined : this.units.ofEntity(ownUnit)) ?? (value.measure && this.units.ofMeasure(value.measure));
    return { val: value.val, ...names, ...(uom && { uom }), type: value.type };
  }
}

interface Place {
  readonly set: string;
  /** Names of the complex properties around. */
  readonly path: readonly string[];
  /** How many more properties the set may have. */
  readonly budget: { left: number };
}

/** IFC4 also takes a whole set of definitions in one relation. */
function definitions(relation: IfcLine): number[] {
  const value = toToken(relation['RelatingPropertyDefinition'])?.value;
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.map((item) => toToken(item)?.value ?? item).filter((id): id is number => typeof id === 'number');
}

function partsOf(line: IfcLine): string | undefined {
  if (line.type === IFCCOMPLEXPROPERTY) return 'HasProperties';
  return line.type === IFCPHYSICALCOMPLEXQUANTITY ? 'HasQuantities' : undefined;
}

const unitOf = (line: IfcLine) => ref(line, 'Unit') ?? ref(line, 'DefinedUnit');
const isPlainValue = (value: unknown) => value !== null && value !== undefined && !Array.isArray(value) && !(toToken(value)?.type === 5);
