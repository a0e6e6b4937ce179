import { PICTURE } from '../picture';
import { toHex, toRows, UNKNOWN } from './text-rows';

const SIZE = 12;
/** Every character of Courier is as wide. */
const ADVANCE = SIZE * 0.6;
const LEADING = 15;
const MARGIN = 22;
const COLUMNS = Math.floor((PICTURE.width - 2 * MARGIN) / ADVANCE);
const ROWS = Math.floor((PICTURE.height - 2 * MARGIN) / LEADING);

/** How much of what can be seen of a text a built-in font must have; a page of boxes helps nobody. */
const READABLE = 0.7;

/**
 * The first lines of a text as a page of PDF, in a font that every reader of PDF brings along: a machine may have no font at all. What
 * the font has no letter for is a box. Nothing when most would be boxes.
 */
export function textPage(text: string): Uint8Array | undefined {
  const rows = toRows(text, COLUMNS, ROWS);
  const seen = rows.join('').replaceAll(' ', '');
  if (seen === '' || seen.replaceAll(UNKNOWN, '').length < seen.length * READABLE) return undefined;
  return toPdf(`0.13 0.15 0.18 rg 0.6 0.62 0.65 RG 0.6 w\n${rows.map(drawRow).join('\n')}`);
}

function drawRow(row: string, index: number): string {
  const y = PICTURE.height - MARGIN - SIZE - index * LEADING;
  const boxes = [...row].flatMap((character, at) => (character === UNKNOWN ? [`${(MARGIN + at * ADVANCE + 1).toFixed(1)} ${y} ${(ADVANCE - 2).toFixed(1)} 7 re S`] : []));
  return [`BT /F1 ${SIZE} Tf ${MARGIN} ${y} Td <${toHex(row)}> Tj ET`, ...boxes].join('\n');
}

function toPdf(content: string): Uint8Array {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${PICTURE.width} ${PICTURE.height}] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>`,
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>',
  ];
  let pdf = '%PDF-1.7\n';
  const places = objects.map((object, index) => {
    const at = pdf.length;
    pdf += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(at).padStart(10, '0')} 00000 n \n`;
  });
  const end = pdf.length;
  pdf += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join('')}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${end}\n%%EOF\n`;
  return Buffer.from(pdf, 'latin1');
}
