const TABLES_AT = 12;
const TABLE_BYTES = 16;
const ENCODING_BYTES = 8;
const GROUPS_AT = 16;
const GROUP_BYTES = 12;
/** Ranges of characters that have glyphs of running numbers, over all of Unicode. */
const SEGMENTED_COVERAGE = 12;

/** Which glyph a TrueType font has for a character, by its table `cmap` (ISO/IEC 14496-22, 5.3.2). The font is our own, and sound. */
export function readGlyphs(font: Buffer): (character: string) => number | undefined {
  const table = coverageOf(font, cmapOf(font));
  const glyphs = new Map<string, number>();
  for (let group = 0; group < font.readUInt32BE(table + GROUPS_AT - 4); group += 1) {
    const at = table + GROUPS_AT + group * GROUP_BYTES;
    const [first, last, glyph] = [font.readUInt32BE(at), font.readUInt32BE(at + 4), font.readUInt32BE(at + 8)];
    for (let code = first; code <= last; code += 1) glyphs.set(String.fromCodePoint(code), glyph + code - first);
  }
  return (character) => glyphs.get(character);
}

function cmapOf(font: Buffer): number {
  for (let table = 0; table < font.readUInt16BE(4); table += 1) {
    const at = TABLES_AT + table * TABLE_BYTES;
    if (font.toString('latin1', at, at + 4) === 'cmap') return font.readUInt32BE(at + 8);
  }
  throw new Error('a font without characters');
}

function coverageOf(font: Buffer, cmap: number): number {
  for (let encoding = 0; encoding < font.readUInt16BE(cmap + 2); encoding += 1) {
    const table = cmap + font.readUInt32BE(cmap + 4 + encoding * ENCODING_BYTES + 4);
    if (font.readUInt16BE(table) === SEGMENTED_COVERAGE) return table;
  }
  throw new Error('a font without a table of all characters');
}
