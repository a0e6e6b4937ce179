import type { IfcContainer, IfcElement, IfcElementType, IfcKey, IfcModel } from '../../ifc/ifc-model';
import type { CollectionType } from './import-target';

type Item = Readonly<Record<string, unknown>> & { readonly _id: string };
type IdOf = (key: IfcKey) => string;

/** What each collection holds of a model (contract 5). `package_id` is the entity's number in the file; `…_id`s refer to it. */
export function* itemsOf(userType: CollectionType, model: IfcModel, idOf: IdOf): Generator<Item> {
  switch (userType) {
    case 'rvt_elements':
      for (const element of model.elements) yield toElement(element, idOf);
      return;
    case 'rvt_element_props':
      for (const { key, properties } of model.elements) yield { _id: idOf(key), properties };
      return;
    case 'rvt_type_elements':
      for (const type of model.types) yield toType(type, idOf);
      return;
    case 'ifc_spatial_structure':
      for (const container of model.containers) yield toContainer(container, idOf);
  }
}

export function countOf(userType: CollectionType, { elements, types, containers }: IfcModel): number {
  const counts = { rvt_elements: elements, rvt_element_props: elements, rvt_type_elements: types, ifc_spatial_structure: containers };
  return counts[userType].length;
}

const names = ({ key, sourceId, ifcClass, name }: IfcElement | IfcElementType | IfcContainer, idOf: IdOf) => ({
  _id: idOf(key), package_id: key, source_id: sourceId, ifcClass, name,
});

const toElement = (element: IfcElement, idOf: IdOf): Item => ({
  ...names(element, idOf),
  ...(element.typeKey !== undefined && { type_id: element.typeKey }),
  ...(element.containerKey !== undefined && { container_id: element.containerKey }),
  ...(element.objectType !== undefined && { objectType: element.objectType }),
  ...(element.tag !== undefined && { tag: element.tag }),
});

const toType = (type: IfcElementType, idOf: IdOf): Item => ({
  ...names(type, idOf),
  ...(type.tag !== undefined && { tag: type.tag }),
  properties: type.properties,
});

const toContainer = (container: IfcContainer, idOf: IdOf): Item => ({
  ...names(container, idOf),
  ...(container.parentKey !== undefined && { parent_id: container.parentKey }),
  ...(container.longName !== undefined && { longName: container.longName }),
  ...(container.elevation !== undefined && { elevation: container.elevation }),
  properties: container.properties,
});
