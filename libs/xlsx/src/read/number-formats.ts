import { XlsxFault } from '../xlsx-fault';
import type { Attributes } from '../xml/xml-feed';
import { type Reading, readPart } from './small-part';

/** What the numbers of a cell mean, by how they are shown. A time that goes on behind 24 hours (`[h]:mm`) stays a number. */
export type ValueForm = 'number' | 'date' | 'time';

/** More than a workbook may have. */
const MAX_FORMATS = 100_000;

/** Of the formats that have a number by the norm (ISO/IEC 29500-1, 18.8.30); 27 to 36 and 50 to 58 are those of East Asia. */
const KNOWN: readonly (readonly [from: number, to: number, form: ValueForm])[] = [
  [14, 17, 'date'], [18, 21, 'time'], [22, 22, 'date'], [27, 31, 'date'], [32, 33, 'time'], [34, 36, 'date'], [45, 45, 'time'], [47, 47, 'time'], [50, 58, 'date'],
];

/** By the number that a cell has for its style. */
export async function readValueForms(reading: Reading, part: string): Promise<readonly ValueForm[]> {
  const codes = new Map<number, string>();
  const formats: number[] = [];
  let isOfCells = false;
  const open = (element: string, attributes: Attributes) => {
    if (element === 'cellXfs') isOfCells = true;
    if (element === 'numFmt') codes.set(Number(attributes['numFmtId']), attributes['formatCode'] ?? '');
    if (element === 'xf' && isOfCells) formats.push(Number(attributes['numFmtId'] ?? 0));
    if (formats.length > MAX_FORMATS || codes.size > MAX_FORMATS) throw new XlsxFault(`The workbook has more than ${MAX_FORMATS} formats`);
  };
  const close = (element: string) => {
    if (element === 'cellXfs') isOfCells = false;
  };
  await readPart(reading, part, reading.limits.smallPartBytes, { open, close });
  // Each is looked at once, however many cells have it.
  const forms = new Map<number, ValueForm>();
  return formats.map((id) => {
    const form = forms.get(id) ?? formOf(id, codes.get(id));
    forms.set(id, form);
    return form;
  });
}

function formOf(id: number, code: string | undefined): ValueForm {
  if (code !== undefined) return formOfCode(code);
  return KNOWN.find(([from, to]) => id >= from && id <= to)?.[2] ?? 'number';
}

const ELAPSED = /\[(?:h+|m+|s+)\]/i;
/** What a format shows as it is: in quotes, behind a backslash, fill and width, and conditions, colours and places in brackets. */
const LITERAL = /"[^"]*"?|\\.|[_*].|\[[^\]]*\]?/gs;

/** Of the first section: that of positive numbers. */
export function formOfCode(code: string): ValueForm {
  if (ELAPSED.test(code)) return 'number';
  const [shown = ''] = code.replace(LITERAL, '').split(';', 1);
  if (/^general$/i.test(shown.trim())) return 'number';
  if (/[yd]/i.test(shown)) return 'date';
  if (/[hs]/i.test(shown)) return 'time';
  return /m/i.test(shown) ? 'date' : 'number';
}
