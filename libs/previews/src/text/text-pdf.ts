import { PICTURE } from '../picture';

/** Of every glyph of the font, in thousandths of its size. */
export const WIDTH = 602;

const NAME = '/DejaVuSansMono';

/** A page of the picture's size that brings its font along, in which a character is the number of a glyph. */
export function toPdf(content: string, font: Buffer): Uint8Array {
  const objects: readonly (readonly (string | Buffer)[])[] = [
    ['<< /Type /Catalog /Pages 2 0 R >>'],
    ['<< /Type /Pages /Kids [3 0 R] /Count 1 >>'],
    [`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${PICTURE.width} ${PICTURE.height}] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>`],
    [`<< /Length ${content.length} >>\nstream\n${content}\nendstream`],
    [`<< /Type /Font /Subtype /Type0 /BaseFont ${NAME} /Encoding /Identity-H /DescendantFonts [6 0 R] >>`],
    [`<< /Type /Font /Subtype /CIDFontType2 /BaseFont ${NAME} /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /FontDescriptor 7 0 R /DW ${WIDTH} /CIDToGIDMap /Identity >>`],
    [`<< /Type /FontDescriptor /FontName ${NAME} /Flags 5 /FontBBox [-558 -375 718 1028] /ItalicAngle 0 /Ascent 928 /Descent -236 /CapHeight 729 /StemV 80 /FontFile2 8 0 R >>`],
    [`<< /Length ${font.length} /Length1 ${font.length} >>\nstream\n`, font, '\nendstream'],
  ];
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')];
  const places: string[] = [];
  let end = lengthOf(parts);
  for (const [index, object] of objects.entries()) {
    places.push(`${String(end).padStart(10, '0')} 00000 n \n`);
    const written = [`${index + 1} 0 obj\n`, ...object, '\nendobj\n'].map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part));
    parts.push(...written);
    end += lengthOf(written);
  }
  const size = objects.length + 1;
  const trailer = `xref\n0 ${size}\n0000000000 65535 f \n${places.join('')}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${end}\n%%EOF\n`;
  return Buffer.concat([...parts, Buffer.from(trailer)]);
}

const lengthOf = (parts: readonly Buffer[]) => parts.reduce((sum, { length }) => sum + length, 0);
