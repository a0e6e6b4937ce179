import sharp, { type Sharp } from 'sharp';
import { NoPicture, PICTURE, type Picture } from './picture';

/** The largest cameras make 200 million; a bomb announces billions. */
const MAX_PIXELS = 225_000_000;
const WHITE = { r: 255, g: 255, b: 255 };
const PHOTOGRAPHS = new Set(['jpeg', 'webp', 'heif', 'tiff']);
/** `error`: what is cut off is broken; what a decoder only wonders about is drawn. */
const OPTIONS = { limitInputPixels: MAX_PIXELS, failOn: 'error', pages: 1, sequentialRead: true } as const;

// An SVG is drawn from memory alone: it has no address then, from which it could ask for other files.
sharp.block({ operation: ['VipsForeignLoadSvgFile'] });
// Nothing is drawn twice: what was, need not be kept.
sharp.cache(false);
sharp.concurrency(1);

/** A photograph, drawing or scan, upright as its EXIF says, its first frame or page; a small one is not enlarged. */
export async function drawImage(path: string): Promise<Picture> {
  try {
    const { format, hasAlpha } = await sharp(path, OPTIONS).metadata();
    const image = pad(sharp(path, OPTIONS).autoOrient(), true);
    if (PHOTOGRAPHS.has(format) && !hasAlpha) return { contentType: 'image/jpeg', bytes: await image.jpeg({ quality: 82 }).toBuffer() };
    return { contentType: 'image/png', bytes: await image.png().toBuffer() };
  } catch (error) {
    throw refusalOf(error);
  }
}

/** It is drawn at the size of the picture: what it says that it has costs nothing. */
const VECTORS = { ...OPTIONS, limitInputPixels: false } as const;

/** A drawing in vectors fills the picture, however small or large it says it is. Neither scripts nor other files are looked at. */
export async function drawSvg(svg: Uint8Array): Promise<Picture> {
  try {
    return { contentType: 'image/png', bytes: await pad(sharp(svg, VECTORS), false).png().toBuffer() };
  } catch (error) {
    throw refusalOf(error);
  }
}

const pad = (image: Sharp, withoutEnlargement: boolean) =>
  image.resize({ ...PICTURE, fit: 'contain', background: WHITE, withoutEnlargement }).flatten({ background: WHITE }).toColourspace('srgb');

const refusalOf = (error: unknown) => new NoPicture(error instanceof Error && /pixel limit|dimension|too large/i.test(error.message) ? 'is too large' : 'is broken', { cause: error });
