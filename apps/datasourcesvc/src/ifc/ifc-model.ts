import type { IfcReport } from './ifc-faults';

/** The number of an entity in its file; a text above 2^53, where a number would not be the same any more. */
export type IfcKey = number | string;

/**
 * A building model as plain values, ready to be written as items (contract section 5, `ifc_import`). A `key` is the
 * entity's number in the file: unique there, while a GlobalId is only meant to be. The importer makes `_id`s from keys.
 */
export interface IfcModel {
  /** As the file names it: `IFC2X3`, `IFC4`, `IFC4X3_ADD2`… */
  readonly schema: string;
  /** One for each IfcProduct: collections `rvt_elements` and `rvt_element_props`. */
  readonly elements: readonly IfcElement[];
  /** One for each IfcTypeObject: collection `rvt_type_elements`. */
  readonly types: readonly IfcElementType[];
  /** The project and each spatial element, parents before children: collection `ifc_spatial_structure`. */
  readonly containers: readonly IfcContainer[];
  readonly report: IfcReport;
}

interface IfcObject {
  readonly key: IfcKey;
  /** The GlobalId. */
  readonly sourceId: string;
  /** In the schema's own case, `IfcWallStandardCase`. */
  readonly ifcClass: string;
  /** Empty where the file gives none. */
  readonly name: string;
  readonly properties: IfcProperties;
}

export interface IfcElement extends IfcObject {
  readonly objectType?: string;
  readonly tag?: string;
  /** Key of its type, through IfcRelDefinesByType. */
  readonly typeKey?: IfcKey;
  /**
   * Key of its container: the one that IfcRelContainedInSpatialStructure names; else that of the element it is a part
   * of, fills, voids or projects from, however many steps away; for a spatial element the container above it.
   */
  readonly containerKey?: IfcKey;
}

export interface IfcElementType extends IfcObject {
  readonly tag?: string;
}

export interface IfcContainer extends IfcObject {
  readonly parentKey?: IfcKey;
  readonly longName?: string;
  /** In the file's length unit. */
  readonly elevation?: number;
}

/**
 * By name. When an object has several properties of one name, the first in the file keeps the plain name and each later
 * one is `<set>/<name>`, then `<set>/<name> (2)`. A part of a complex property is `<complex>/<name>`. Keys that the item
 * service refuses or cannot address are changed (see property-key.ts); `dName` always has the name as it stands.
 */
export type IfcProperties = Readonly<Record<string, IfcProperty>>;

export interface IfcProperty {
  /** In the file's units, never converted. `null` where the file leaves the value out, or says that it is unknown. */
  readonly val: IfcPropertyValue;
  readonly dName: string;
  readonly psDispName: string;
  /** Symbol of the unit, `mm`, `m²`, `W/(m²·K)`: the property's own, else the file's for that measure. */
  readonly uom?: string;
  readonly type: IfcValueType;
}

export type IfcScalarType = 'string' | 'number' | 'integer' | 'boolean' | 'logical' | 'null';
/** `enumeration` and `list`: an array of scalars; `bounded`: IfcRange; `table`: IfcTableRow[]; `reference`: IfcReference. */
export type IfcValueType = IfcScalarType | 'enumeration' | 'list' | 'bounded' | 'table' | 'reference';

export type IfcScalar = string | number | boolean | null;
export type IfcPropertyValue = IfcScalar | readonly IfcScalar[] | IfcRange | readonly IfcTableRow[] | IfcReference;

export interface IfcRange {
  readonly lower?: IfcScalar;
  readonly upper?: IfcScalar;
  readonly setPoint?: IfcScalar;
}

export interface IfcTableRow {
  readonly defining: IfcScalar;
  readonly defined: IfcScalar;
}

export interface IfcReference {
  readonly ifcClass: string;
  readonly name?: string;
  readonly source_id?: string;
}
