import type { IfcKey } from '../../ifc/ifc-model';
import type { PartRows } from '../../ifc/on-disk/model-parts';
import type { CollectionType } from './import-target';

type Element = PartRows['elements'];

/** From an item of one collection to an item of another: by the keys of their entities, which an element tells. */
export interface ModelRelation {
  readonly from: CollectionType;
  readonly to: CollectionType;
  /** Of the model's counts, how many pairs there are. */
  readonly count: 'elements' | 'typed' | 'contained';
  pairOf(element: Element): readonly [from: IfcKey, to: IfcKey] | undefined;
}

/** Contract 5: element → props, element → type, container → element. */
export const RELATIONS: readonly ModelRelation[] = [
  { from: 'rvt_elements', to: 'rvt_element_props', count: 'elements', pairOf: ({ key }) => [key, key] },
  { from: 'rvt_elements', to: 'rvt_type_elements', count: 'typed', pairOf: ({ key, typeKey }) => (typeKey === undefined ? undefined : [key, typeKey]) },
  { from: 'ifc_spatial_structure', to: 'rvt_elements', count: 'contained', pairOf: ({ key, containerKey }) => (containerKey === undefined ? undefined : [containerKey, key]) },
];

/** The pairs of a relation, one by one. */
export async function* pairsOf({ pairOf }: ModelRelation, elements: AsyncIterable<Element>, idOf: (key: IfcKey) => string): AsyncGenerator<readonly [from: string, to: string]> {
  for await (const element of elements) {
    const pair = pairOf(element);
    if (pair !== undefined) yield [idOf(pair[0]), idOf(pair[1])];
  }
}
