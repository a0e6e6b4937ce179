import { readFile } from 'node:fs/promises';
import { readGlyphs } from './glyphs';

/** A font that the product brings along: a machine may have none, and a picture is to be the same on all. */
export interface Font {
  readonly bytes: Buffer;
  /** `undefined`, where the font has no such character. */
  readonly glyphOf: (character: string) => number | undefined;
}

let loaded: Promise<Font> | undefined;

/** DejaVu Sans Mono: Latin, Cyrillic, Greek, Armenian and Georgian letters, and what tables are framed with; all as wide. */
export function loadFont(): Promise<Font> {
  return (loaded ??= readFile(require.resolve('dejavu-fonts-ttf/ttf/DejaVuSansMono.ttf')).then((bytes) => ({ bytes, glyphOf: readGlyphs(bytes) })));
}
