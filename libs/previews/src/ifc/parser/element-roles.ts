import * as ifc from 'web-ifc';
import type { Role } from '../scene';

/** What is read for a plan, the most telling first: a model past all bounds loses its chairs before its walls. */
export const ROLES: readonly (readonly [role: Role, types: readonly number[]])[] = [
  ['wall', [ifc.IFCWALL]],
  ['column', [ifc.IFCCOLUMN, ifc.IFCMEMBER, ifc.IFCCHIMNEY]],
  ['door', [ifc.IFCDOOR]],
  ['window', [ifc.IFCWINDOW, ifc.IFCCURTAINWALL, ifc.IFCPLATE]],
  ['slab', [ifc.IFCSLAB]],
  ['stair', [ifc.IFCSTAIR, ifc.IFCSTAIRFLIGHT, ifc.IFCRAMP, ifc.IFCRAMPFLIGHT, ifc.IFCRAILING, ifc.IFCTRANSPORTELEMENT]],
  ['space', [ifc.IFCSPACE]],
  ['furniture', [ifc.IFCFURNISHINGELEMENT, ifc.IFCFLOWTERMINAL]],
  ['proxy', [ifc.IFCBUILDINGELEMENTPROXY]],
];

/** Nothing that can be seen: rooms and holes, symbols, the ground itself, and the bars inside of concrete. */
export const INVISIBLE: readonly number[] = [
  ifc.IFCSPATIALELEMENT, ifc.IFCSPATIALSTRUCTUREELEMENT, ifc.IFCFEATUREELEMENT, ifc.IFCVIRTUALELEMENT, ifc.IFCANNOTATION, ifc.IFCGRID, ifc.IFCPORT,
  ifc.IFCREINFORCINGELEMENT, ifc.IFCSTRUCTURALACTIVITY, ifc.IFCSTRUCTURALITEM, ifc.IFCGEOGRAPHICELEMENT, ifc.IFCPOSITIONINGELEMENT,
];
