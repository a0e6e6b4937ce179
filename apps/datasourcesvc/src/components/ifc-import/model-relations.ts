import type { IfcKey, IfcModel } from '../../ifc/ifc-model';
import type { CollectionType } from './import-target';

/** Pairs of entity keys, from an item of one collection to an item of another. */
export interface ModelRelation {
  readonly from: CollectionType;
  readonly to: CollectionType;
  pairs(model: IfcModel): readonly (readonly [from: IfcKey, to: IfcKey])[];
}

/** Contract 5: element → props, element → type, container → element. */
export const RELATIONS: readonly ModelRelation[] = [
  {
    from: 'rvt_elements', to: 'rvt_element_props',
    pairs: ({ elements }) => elements.map(({ key }) => [key, key] as const),
  },
  {
    from: 'rvt_elements', to: 'rvt_type_elements',
    pairs: ({ elements }) => elements.flatMap(({ key, typeKey }) => (typeKey === undefined ? [] : [[key, typeKey] as const])),
  },
  {
    from: 'ifc_spatial_structure', to: 'rvt_elements',
    pairs: ({ elements }) => elements.flatMap(({ key, containerKey }) => (containerKey === undefined ? [] : [[containerKey, key] as const])),
  },
];
