import { createHash } from 'node:crypto';
import type { IfcKey } from '../../ifc/ifc-model';
import type { SourceFile } from '../source-file';

export const COMPOSITE = 'bim_model_version';
export const COLLECTIONS = ['rvt_elements', 'rvt_element_props', 'rvt_type_elements', 'ifc_spatial_structure'] as const;
export type CollectionType = (typeof COLLECTIONS)[number];

const TITLES: Readonly<Record<CollectionType, string>> = {
  rvt_elements: 'elements', rvt_element_props: 'properties of elements', rvt_type_elements: 'types', ifc_spatial_structure: 'spatial structure',
};

export const titleOf = (userType: CollectionType, model: string) => `${model}: ${TITLES[userType]}`;

/** Always the same for an entity of a file version, so that a bulk that is sent again counts as made (contract 2.3). */
export const itemIdOf = ({ fileVersionId }: SourceFile, entityKey: IfcKey): string =>
  createHash('sha256').update(`${fileVersionId} ${entityKey}`).digest('hex').slice(0, 24);
