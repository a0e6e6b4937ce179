import {
  IFCPHYSICALSIMPLEQUANTITY, IFCPROPERTYBOUNDEDVALUE, IFCPROPERTYENUMERATEDVALUE, IFCPROPERTYLISTVALUE,
  IFCPROPERTYREFERENCEVALUE, IFCPROPERTYTABLEVALUE,
} from 'web-ifc';
import { type IfcFile, type IfcLine, ref } from './ifc-file';
import type { IfcPropertyValue, IfcRange, IfcReference, IfcTableRow, IfcValueType } from './ifc-model';
import { type ScalarValue, toScalar } from './ifc-values';

export interface PropertyValue {
  readonly val: IfcPropertyValue;
  readonly type: IfcValueType;
  /** A measure or a kind of unit; decides the unit where the property has none of its own. */
  readonly measure?: string;
}

/** The value of an IfcSimpleProperty or IfcPhysicalSimpleQuantity. */
export function readValue(file: IfcFile, line: IfcLine): PropertyValue {
  if (file.isA(line.type, IFCPHYSICALSIMPLEQUANTITY)) return readQuantity(file, line);
  switch (line.type) {
    case IFCPROPERTYENUMERATEDVALUE:
      return readArray(file, line['EnumerationValues'], 'enumeration');
    case IFCPROPERTYLISTVALUE:
      return readArray(file, line['ListValues'], 'list');
    case IFCPROPERTYBOUNDEDVALUE:
      return readRange(file, line);
    case IFCPROPERTYTABLEVALUE:
      return readTable(file, line);
    case IFCPROPERTYREFERENCEVALUE:
      return readReference(file, line);
    default:
      return toScalar(file, line['NominalValue']);
  }
}

/** The only attribute that is named for the kind: LengthValue, AreaValue, CountValue… */
function readQuantity(file: IfcFile, line: IfcLine): PropertyValue {
  const attribute = Object.keys(line).find((name) => /^[A-Z]\w*Value$/.test(name));
  return toScalar(file, attribute === undefined ? undefined : line[attribute]);
}

function readArray(file: IfcFile, raw: unknown, type: 'enumeration' | 'list'): PropertyValue {
  const values = scalars(file, raw);
  return { val: values.map(({ val }) => val), type, ...measureOf(values) };
}

function readRange(file: IfcFile, line: IfcLine): PropertyValue {
  const [lower, upper, setPoint] = ['LowerBoundValue', 'UpperBoundValue', 'SetPointValue'].map((name) => toScalar(file, line[name]));
  const val: IfcRange = { ...bound('lower', lower), ...bound('upper', upper), ...bound('setPoint', setPoint) };
  return { val, type: 'bounded', ...measureOf([lower, upper, setPoint]) };
}

const bound = (name: keyof IfcRange, value: ScalarValue | undefined): IfcRange =>
  value === undefined || value.val === null ? {} : { [name]: value.val };

function readTable(file: IfcFile, line: IfcLine): PropertyValue {
  const defining = scalars(file, line['DefiningValues']);
  const defined = scalars(file, line['DefinedValues']);
  const length = Math.max(defining.length, defined.length);
  const val = Array.from({ length }, (_, row): IfcTableRow => ({ defining: defining[row]?.val ?? null, defined: defined[row]?.val ?? null }));
  return { val, type: 'table', ...measureOf(defined) };
}

function readReference(file: IfcFile, line: IfcLine): PropertyValue {
  const id = ref(line, 'PropertyReference');
  const target = id === undefined ? undefined : file.line(id);
  if (!target) return { val: null, type: 'reference' };
  const name = file.text(target, 'Name');
  const globalId = file.text(target, 'GlobalId');
  const val: IfcReference = {
    ifcClass: file.className(target.type),
    ...(name !== undefined && { name }),
    ...(globalId !== undefined && { source_id: globalId }),
  };
  return { val, type: 'reference' };
}

const scalars = (file: IfcFile, raw: unknown): ScalarValue[] => (Array.isArray(raw) ? raw.map((value) => toScalar(file, value)) : []);

function measureOf(values: readonly (ScalarValue | undefined)[]): { readonly measure?: string } {
  const measure = values.find((value) => value?.measure !== undefined)?.measure;
  return measure === undefined ? {} : { measure };
}
