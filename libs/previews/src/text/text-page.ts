import { PICTURE } from '../picture';
import { type Font, loadFont } from './font';
import { type Page, toRows, UNKNOWN } from './text-rows';
import { toPdf, WIDTH } from './text-pdf';

const SIZE = 12;
const ADVANCE = (SIZE * WIDTH) / 1_000;
const LEADING = 15;
const MARGIN = 22;
const PAGE: Page = { columns: Math.floor((PICTURE.width - 2 * MARGIN) / ADVANCE), rows: Math.floor((PICTURE.height - 2 * MARGIN) / LEADING) };

/** How much of what can be seen of a text the font must have; a page of boxes helps nobody. */
const READABLE = 0.7;

/** The first lines of a text as a page of PDF. What the font has no letter for is a box. Nothing when most would be boxes. */
export async function textPage(text: string): Promise<Uint8Array | undefined> {
  const font = await loadFont();
  const rows = toRows(text, PAGE, (character) => font.glyphOf(character) !== undefined);
  const seen = rows.join('').replaceAll(' ', '');
  if (seen === '' || seen.replaceAll(UNKNOWN, '').length < seen.length * READABLE) return undefined;
  return toPdf(`0.13 0.15 0.18 rg 0.6 0.62 0.65 RG 0.6 w\n${rows.map((row, index) => drawRow(row, index, font)).join('\n')}`, font.bytes);
}

function drawRow(row: string, index: number, font: Font): string {
  const y = PICTURE.height - MARGIN - SIZE - index * LEADING;
  const boxes = [...row].flatMap((character, at) => (character === UNKNOWN ? [`${(MARGIN + at * ADVANCE + 1).toFixed(1)} ${y} ${(ADVANCE - 2).toFixed(1)} 7 re S`] : []));
  return [`BT /F1 ${SIZE} Tf ${MARGIN} ${y} Td <${toHex(row, font)}> Tj ET`, ...boxes].join('\n');
}

/** Two bytes for each glyph; under a box lies a space. */
function toHex(row: string, { glyphOf }: Font): string {
  const glyphs = [...row].map((character) => (character === UNKNOWN ? undefined : glyphOf(character)) ?? glyphOf(' ') ?? 0);
  return glyphs.map((glyph) => glyph.toString(16).padStart(4, '0')).join('');
}
