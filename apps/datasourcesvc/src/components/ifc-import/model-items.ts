import type { IfcContainer, IfcElementType, IfcKey } from '../../ifc/ifc-model';
import type { ModelOnDisk } from '../../ifc/on-disk/model-on-disk';
import type { ModelHead, PartRows } from '../../ifc/on-disk/model-parts';
import type { CollectionType } from './import-target';

type Item = Readonly<Record<string, unknown>> & { readonly _id: string };
type IdOf = (key: IfcKey) => string;
type Element = PartRows['elements'];

/** What each collection holds of a model (contract 5). `package_id` is the entity's number in the file; `…_id`s refer to it. */
export async function* itemsOf(userType: CollectionType, model: ModelOnDisk, idOf: IdOf): AsyncGenerator<Item> {
  switch (userType) {
    case 'rvt_elements':
      for await (const element of model.rows('elements')) yield toElement(element, idOf);
      return;
    case 'rvt_element_props':
      for await (const { key, properties } of model.rows('properties')) yield { _id: idOf(key), properties };
      return;
    case 'rvt_type_elements':
      for await (const type of model.rows('types')) yield toType(type, idOf);
      return;
    case 'ifc_spatial_structure':
      for await (const container of model.rows('containers')) yield toContainer(container, idOf);
  }
}

export function countOf(userType: CollectionType, { counts: { elements, types, containers } }: ModelHead): number {
  return { rvt_elements: elements, rvt_element_props: elements, rvt_type_elements: types, ifc_spatial_structure: containers }[userType];
}

const names = ({ key, sourceId, ifcClass, name }: Element | IfcElementType | IfcContainer, idOf: IdOf) => ({
  _id: idOf(key), package_id: key, source_id: sourceId, ifcClass, name,
});

const toElement = (element: Element, idOf: IdOf): Item => ({
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
