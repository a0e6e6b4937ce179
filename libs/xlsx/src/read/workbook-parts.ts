import { XlsxFault } from '../xlsx-fault';
import { type Attributes, attributeOf } from '../xml/xml-feed';
import { readRelationships, type Relationship } from './relationships';
import { type Reading, readPart } from './small-part';

export interface SheetPart {
  readonly name: string;
  readonly isHidden: boolean;
  readonly part: string;
}

/** What a workbook is made of. */
export interface WorkbookParts {
  readonly sheets: readonly SheetPart[];
  /** Whether its days are counted from 1904 on. */
  readonly isFrom1904: boolean;
  readonly sharedStrings: string | undefined;
  readonly styles: string | undefined;
}

const CONTENT_TYPES = '[Content_Types].xml';

/** @throws XlsxFault for what is another kind of file, has macros, or is damaged. */
export async function readWorkbookParts(reading: Reading): Promise<WorkbookParts> {
  await refuseOthers(reading);
  const workbook = targetOf(await readRelationships(reading, ''), 'officeDocument') ?? 'xl/workbook.xml';
  const relationships = await readRelationships(reading, workbook);
  const worksheets = new Map(relationships.filter(({ type }) => type === 'worksheet').map(({ id, target }) => [id, target]));
  const sheets: SheetPart[] = [];
  let isFrom1904 = false;
  const open = (element: string, attributes: Attributes) => {
    if (element === 'workbookPr') isFrom1904 = ['1', 'true'].includes(attributes['date1904'] ?? '');
    // Charts are sheets too, without rows.
    const part = element === 'sheet' ? worksheets.get(attributeOf(attributes, 'id') ?? '') : undefined;
    if (part !== undefined) sheets.push({ name: attributes['name'] ?? '', isHidden: (attributes['state'] ?? 'visible') !== 'visible', part });
  };
  await readPart(reading, workbook, reading.limits.smallPartBytes, { open });
  if (sheets.length === 0) throw new XlsxFault('The workbook has no sheet with rows');
  return { sheets, isFrom1904, sharedStrings: targetOf(relationships, 'sharedStrings'), styles: targetOf(relationships, 'styles') };
}

const targetOf = (relationships: readonly Relationship[], type: string) => relationships.find((one) => one.type === type)?.target;

async function refuseOthers(reading: Reading): Promise<void> {
  const { parts, limits } = reading;
  if (parts.has('mimetype')) throw new XlsxFault('The file is an OpenDocument file; save it as .xlsx');
  if (!parts.has(CONTENT_TYPES)) throw new XlsxFault('The file is a ZIP, and no workbook (.xlsx)');
  const types: string[] = [];
  const open = (_: string, { ContentType: type }: Attributes) => {
    if (type !== undefined) types.push(type.toLowerCase());
  };
  await readPart(reading, CONTENT_TYPES, limits.smallPartBytes, { open });
  if (types.some((type) => type.includes('sheet.binary'))) throw new XlsxFault('The workbook is a binary one (.xlsb); save it as .xlsx');
  if (types.some((type) => /macroenabled|vbaproject/.test(type))) throw new XlsxFault('The workbook has macros, and such files are not read; save it as .xlsx');
}
