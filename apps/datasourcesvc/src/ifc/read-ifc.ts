import { IFCPRODUCT, IFCRELDEFINESBYTYPE, IFCTYPEOBJECT } from 'web-ifc';
import { IfcFile, type IfcLine, ref, refs } from './ifc-file';
import type { IfcContainer, IfcElement, IfcElementType, IfcModel } from './ifc-model';
import { toProperties } from './property-key';
import { PropertySets } from './property-sets';
import { elevationOf, SpatialStructure } from './spatial-structure';

/**
 * A whole IFC file (STEP text; IFC2X3, IFC4, IFC4X3) as one value. What is no such file or is cut off throws `invalid`; what had to be left out or
 * mended stands in the report. Blocks its thread for seconds with a large model, and holds all of it: a service has an IfcReader.
 */
export async function readIfc(bytes: Uint8Array): Promise<IfcModel> {
  const file = await IfcFile.open(() => bytes);
  try {
    const reader = new ModelReader(file);
    const [types, elements, containers] = [[...reader.types()], [...reader.elements()], [...reader.containers()]];
    return { schema: file.schema, elements, types, containers, report: file.report() };
  } finally {
    file.close();
  }
}

/** Reads what an open file has one by one: none of it is held. */
export class ModelReader {
  private readonly sets: PropertySets;
  private readonly setsOf: ReadonlyMap<number, readonly number[]>;
  private readonly structure: SpatialStructure;
  private readonly typeOf = new Map<number, number>();
  private readonly typeIds: readonly number[];
  private readonly elementIds: readonly number[];

  constructor(private readonly file: IfcFile) {
    this.sets = new PropertySets(file);
    this.setsOf = this.sets.byObject();
    this.structure = new SpatialStructure(file);
    this.typeIds = file.ids(IFCTYPEOBJECT);
    this.elementIds = file.ids(IFCPRODUCT);
    this.readTypeRelations(new Set(this.typeIds));
  }

  /** Of types, elements and containers together; those that cannot be read are among them. */
  get count(): number {
    return this.typeIds.length + this.elementIds.length + this.structure.containers.length;
  }

  *types(): Generator<IfcElementType> {
    for (const line of this.file.linesOf(this.typeIds)) yield this.toType(line);
  }

  *elements(): Generator<IfcElement> {
    for (const line of this.file.linesOf(this.elementIds)) yield this.toElement(line);
  }

  *containers(): Generator<IfcContainer> {
    for (const line of this.file.linesOf(this.structure.containers)) yield this.toContainer(line);
  }

  private readTypeRelations(types: ReadonlySet<number>): void {
    for (const relation of this.file.lines(IFCRELDEFINESBYTYPE)) {
      const type = ref(relation, 'RelatingType');
      if (type === undefined || !types.has(type) || this.file.line(type) === undefined) continue;
      refs(relation, 'RelatedObjects').forEach((object) => this.typeOf.set(object, type));
    }
  }

  private toElement(line: IfcLine): IfcElement {
    const type = this.typeOf.get(line.expressID);
    const container = this.structure.containerOf(line.expressID);
    return {
      ...this.toObject(line, this.setsOf.get(line.expressID)),
      ...this.optionalText(line, 'objectType', 'ObjectType'),
      ...this.optionalText(line, 'tag', 'Tag'),
      ...(type !== undefined && { typeKey: this.file.keyOf(type) }),
      ...(container !== undefined && { containerKey: this.file.keyOf(container) }),
    };
  }

  private toType(line: IfcLine): IfcElementType {
    const sets = [...refs(line, 'HasPropertySets'), ...(this.setsOf.get(line.expressID) ?? [])];
    return { ...this.toObject(line, sets), ...this.optionalText(line, 'tag', 'Tag') };
  }

  private toContainer(line: IfcLine): IfcContainer {
    const parent = this.structure.containerOf(line.expressID);
    const elevation = elevationOf(line);
    return {
      ...this.toObject(line, this.setsOf.get(line.expressID)),
      ...(parent !== undefined && { parentKey: this.file.keyOf(parent) }),
      ...this.optionalText(line, 'longName', 'LongName'),
      ...(elevation !== undefined && { elevation }),
    };
  }

  private toObject(line: IfcLine, sets: readonly number[] = []) {
    return {
      key: this.file.keyOf(line.expressID),
      sourceId: this.file.text(line, 'GlobalId') ?? '',
      ifcClass: this.file.className(line.type),
      name: this.file.text(line, 'Name') ?? '',
      properties: toProperties(this.sets.properties(sets)),
    };
  }

  private optionalText<K extends string>(line: IfcLine, field: K, attribute: string): Partial<Record<K, string>> {
    const text = this.file.text(line, attribute);
    return (text === undefined ? {} : { [field]: text }) as Partial<Record<K, string>>;
  }
}
