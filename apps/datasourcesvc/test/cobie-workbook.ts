import { workbookFile, type WorkbookCell, type WorkbookOptions } from '@twinyard/testing/workbook-files';
import type { IfcElement, IfcElementType, IfcContainer, IfcModel, IfcKey, IfcProperties } from '../src/ifc/ifc-model';

type Named = IfcElement | IfcElementType | IfcContainer;

/** Names are told apart in COBie, which those of a model need not be. */
export const cobieName = ({ key, name, ifcClass }: Named): string => `${name.trim() || ifcClass} [${key}]`;

/** What a workbook holds of properties: no lists, and none without a value. */
export function cobieValues(properties: IfcProperties): readonly (readonly [name: string, value: string | number | boolean, unit: string | undefined])[] {
  return Object.values(properties).flatMap(({ dName, val, uom }) => {
    const value = typeof val === 'string' ? val.trim() : val;
    const isTold = typeof value === 'number' || typeof value === 'boolean' || (typeof value === 'string' && !/^(n\/a)?$/i.test(value));
    return isTold ? [[dName.trim(), value, uom] as const] : [];
  });
}

const WHO: readonly WorkbookCell[] = ['ann@example.com', '2026-01-31T12:00:00'];

/** A building as a COBie 2.4 workbook, as exporters of BIM programs write it. */
export class CobieWorkbook {
  readonly floors: readonly IfcContainer[];
  readonly spaces: readonly IfcContainer[];
  readonly components: readonly IfcElement[];
  private readonly byKey: ReadonlyMap<IfcKey, Named>;

  constructor(readonly model: IfcModel) {
    const { containers, elements, types } = model;
    this.floors = containers.filter(({ ifcClass }) => ifcClass === 'IfcBuildingStorey');
    this.spaces = containers.filter(({ ifcClass }) => ifcClass === 'IfcSpace');
    const spatial = new Set(containers.map(({ key }) => key));
    this.components = elements.filter(({ key }) => !spatial.has(key));
    this.byKey = new Map([...types, ...containers].map((one) => [one.key, one]));
  }

  /** Its space, where it lies in one. */
  spaceOf({ containerKey }: IfcElement): IfcContainer | undefined {
    return this.spaces.find(({ key }) => key === containerKey);
  }

  typeOf({ typeKey }: IfcElement): Named | undefined {
    return typeKey === undefined ? undefined : this.byKey.get(typeKey);
  }

  file(): Promise<Buffer> {
    const options: WorkbookOptions = { sheets: Object.entries(this.sheets()).map(([name, rows]) => ({ name, rows })) };
    return workbookFile(options);
  }

  private sheets(): Record<string, readonly (readonly WorkbookCell[])[]> {
    const nameAt = (key: IfcKey | undefined) => (key === undefined ? 'n/a' : cobieName(this.byKey.get(key) as Named));
    const { types, containers } = this.model;
    const building = containers.find(({ ifcClass }) => ifcClass === 'IfcBuilding') as IfcContainer;
    return {
      Instruction: [['Written by a test']],
      Contact: [['Email', 'CreatedBy', 'CreatedOn', 'Company'], ['ann@example.com', ...WHO, 'House & Co']],
      Facility: [['Name', 'CreatedBy', 'CreatedOn', 'LinearUnits', 'ExternalFacilityIdentifier'], [cobieName(building), ...WHO, 'meters', building.sourceId]],
      Floor: [['Name', 'CreatedBy', 'CreatedOn', 'ExtIdentifier', 'Elevation'], ...this.floors.map((floor) => [cobieName(floor), ...WHO, floor.sourceId, floor.elevation ?? null])],
      Space: [['Name', 'CreatedBy', 'CreatedOn', 'FloorName', 'ExtIdentifier'], ...this.spaces.map((space) => [cobieName(space), ...WHO, nameAt(space.parentKey), space.sourceId])],
      Type: [['Name', 'CreatedBy', 'CreatedOn', 'Manufacturer', 'ExtIdentifier'], ...types.map((type) => [cobieName(type), ...WHO, 'ann@example.com', type.sourceId])],
      Component: [
        ['Name', 'CreatedBy', 'CreatedOn', 'TypeName', 'Space', 'ExtIdentifier'],
        ...this.components.map((one) => [cobieName(one), ...WHO, nameAt(one.typeKey), nameAt(this.spaceOf(one)?.key), one.sourceId]),
      ],
      Attribute: [
        ['Name', 'CreatedBy', 'CreatedOn', 'Category', 'SheetName', 'RowName', 'Value', 'Unit'],
        ...this.components.flatMap((one) => cobieValues(one.properties).map(([name, value, unit]) => [name, ...WHO, 'Requirement', 'Component', cobieName(one), value, unit ?? null])),
      ],
    };
  }
}
