import { IFCPRODUCT, IFCRELDEFINESBYTYPE, IFCTYPEOBJECT } from 'web-ifc';
import { IfcFile, type IfcLine, ref, refs } from './ifc-file';
import type { IfcContainer, IfcElement, IfcElementType, IfcModel } from './ifc-model';
import { toProperties } from './property-key';
import { PropertySets } from './property-sets';
import { elevationOf, SpatialStructure } from './spatial-structure';

/**
 * Reads a whole IFC file (STEP text; IFC2X3, IFC4, IFC4X3). What is no such file or is cut off throws `invalid`; what had to be left out or
 * mended stands in the report. Blocks its thread for seconds with a large model: a service calls readIfcInWorker.
 */
export async function readIfc(bytes: Uint8Array): Promise<IfcModel> {
  const file = await IfcFile.open(bytes);
  try {
    return new ModelReader(file).read();
  } finally {
    file.close();
  }
}

class ModelReader {
  private readonly sets: PropertySets;
  private readonly setsOf: ReadonlyMap<number, ReadonlySet<number>>;
  private readonly structure: SpatialStructure;
  private readonly typeOf = new Map<number, number>();

  constructor(private readonly file: IfcFile) {
    this.sets = new PropertySets(file);
    this.setsOf = this.sets.byObject();
    this.structure = new SpatialStructure(file);
  }

  read(): IfcModel {
    const typeLines = this.file.lines(IFCTYPEOBJECT);
    this.readTypeRelations(new Set(typeLines.map(({ expressID }) => expressID)));
    const types = typeLines.map((line) => this.toType(line));
    const elements = this.file.lines(IFCPRODUCT).map((line) => this.toElement(line));
    const depth = ({ expressID }: IfcLine) => this.structure.depth(expressID);
    const containers = [...this.structure.containers].sort((a, b) => depth(a) - depth(b) || a.expressID - b.expressID).map((line) => this.toContainer(line));
    return { schema: this.file.schema, elements, types, containers, report: this.file.report() };
  }

  private readTypeRelations(known: ReadonlySet<number>): void {
    for (const relation of this.file.lines(IFCRELDEFINESBYTYPE)) {
      const type = ref(relation, 'RelatingType');
      if (type === undefined || !known.has(type)) continue;
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
    const sets = new Set([...refs(line, 'HasPropertySets'), ...(this.setsOf.get(line.expressID) ?? [])]);
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

  private toObject(line: IfcLine, sets: ReadonlySet<number> = new Set()) {
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
