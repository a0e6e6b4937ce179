/** A column whose cells name rows of another sheet. */
export interface SheetReference {
  readonly column: string;
  readonly to: SheetName;
  /** Several names, with commas between them. */
  readonly isList?: true;
}

/** A sheet of COBie 2.4 (NBIMS-US 3, 4.2) of whose rows items are made. */
export interface CobieSheet {
  readonly userType: string;
  /** The column that others name a row by. */
  readonly key: 'Name' | 'Email';
  readonly references: readonly SheetReference[];
  /** Several rows of one name and category are one thing, each with some of its members. */
  readonly isGrouped?: true;
  /** It says by `SheetName` and `RowName` which row it belongs to. */
  readonly belongsToRow?: true;
}

const list = (column: string, to: SheetName): SheetReference => ({ column, to, isList: true });

const contacts: readonly SheetReference[] = ['Manufacturer', 'WarrantyGuarantorParts', 'WarrantyGuarantorLabor'].map((column) => ({ column, to: 'Contact' }));

export const SHEET_NAMES = ['Contact', 'Facility', 'Floor', 'Space', 'Zone', 'Type', 'Component', 'System', 'Document'] as const;
export type SheetName = (typeof SHEET_NAMES)[number];

export const SHEETS: Readonly<Record<SheetName, CobieSheet>> = {
  Contact: { userType: 'cobie_contacts', key: 'Email', references: [] },
  Facility: { userType: 'cobie_facilities', key: 'Name', references: [] },
  Floor: { userType: 'cobie_floors', key: 'Name', references: [] },
  Space: { userType: 'cobie_spaces', key: 'Name', references: [{ column: 'FloorName', to: 'Floor' }] },
  Zone: { userType: 'cobie_zones', key: 'Name', references: [list('SpaceNames', 'Space')], isGrouped: true },
  Type: { userType: 'cobie_types', key: 'Name', references: contacts },
  Component: { userType: 'cobie_components', key: 'Name', references: [{ column: 'TypeName', to: 'Type' }, list('Space', 'Space')] },
  System: { userType: 'cobie_systems', key: 'Name', references: [list('ComponentNames', 'Component')], isGrouped: true },
  Document: { userType: 'cobie_documents', key: 'Name', references: [], belongsToRow: true },
};

/** Values of other rows, which become properties of their items. */
export const ATTRIBUTES = 'Attribute';

/** Where a row says what it is called in the model that it comes from: the first of these that it has. */
export const IDENTIFIERS = ['ExtIdentifier', 'ExternalIdentifier', 'ExternalFacilityIdentifier'] as const;

export interface SheetRelation {
  readonly from: SheetName;
  readonly to: SheetName;
  /** The columns that say it, of the sheet that it comes from or leads to; where there are none, a single row has all of the other sheet. */
  readonly by: readonly string[];
  readonly of?: 'from' | 'to';
}

/** As `ifc_import` has them: from what contains to what is in it, and from things to their types. */
export const RELATIONS: readonly SheetRelation[] = [
  { from: 'Facility', to: 'Floor', by: [] },
  { from: 'Floor', to: 'Space', by: ['FloorName'], of: 'to' },
  { from: 'Zone', to: 'Space', by: ['SpaceNames'], of: 'from' },
  { from: 'Space', to: 'Component', by: ['Space'], of: 'to' },
  { from: 'Component', to: 'Type', by: ['TypeName'], of: 'from' },
  { from: 'System', to: 'Component', by: ['ComponentNames'], of: 'from' },
  { from: 'Type', to: 'Contact', by: contacts.map(({ column }) => column), of: 'from' },
];
