import type { PDFiumDocument, PDFiumLibrary } from '@hyzyla/pdfium';
import sharp from 'sharp';
import { newPdfEngine } from './pdf-engine';
import { NoPicture, PICTURE, type Picture } from './picture';

/** Drawn so many times as large and then made smaller: small print stays legible. */
const OVERSAMPLING = 2;
const AROUND = { r: 0xe6, g: 0xe8, b: 0xeb };
const EDGE = { r: 0xc2, g: 0xc6, b: 0xcc };
const MARGIN = 10;

/** The first page, on grey. */
export async function drawPdf(bytes: Uint8Array): Promise<Picture> {
  const page = await firstPage(bytes, fitPage);
  return { contentType: 'image/png', bytes: await onGrey(page) };
}

/** A page that is as large as the picture. */
export async function drawWholePage(bytes: Uint8Array): Promise<Picture> {
  const { data, width, height } = await firstPage(bytes, () => PICTURE);
  return { contentType: 'image/png', bytes: await rawImage(data, width, height).resize(PICTURE).png().toBuffer() };
}

interface Size {
  readonly width: number;
  readonly height: number;
}

interface Page extends Size {
  readonly data: Uint8Array;
}

async function firstPage(bytes: Uint8Array, fit: (page: Size) => Size): Promise<Page> {
  const library = await newPdfEngine();
  const document = await open(library, bytes);
  if (document.getPageCount() < 1) throw new NoPicture('has nothing to show');
  const page = document.getPage(0);
  const { originalWidth, originalHeight } = page.getOriginalSize();
  if (!(originalWidth > 0 && originalHeight > 0)) throw new NoPicture('is broken');
  const { width, height } = fit({ width: originalWidth, height: originalHeight });
  return page.render({ width: width * OVERSAMPLING, height: height * OVERSAMPLING, scale: 1, renderFormFields: true, render: async ({ data }) => data });
}

function open(library: PDFiumLibrary, bytes: Uint8Array): Promise<PDFiumDocument> {
  return library.loadDocument(bytes).catch((error: unknown) => {
    const isLocked = error instanceof Error && /password|security/i.test(error.message);
    throw new NoPicture(isLocked ? 'is protected' : 'is broken', { cause: error });
  });
}

function fitPage({ width, height }: Size): Size {
  const scale = Math.min((PICTURE.width - 2 * MARGIN) / width, (PICTURE.height - 2 * MARGIN) / height);
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

const rawImage = (data: Uint8Array, width: number, height: number) => sharp(data, { raw: { width, height, channels: 4 } }).removeAlpha();

async function onGrey({ data, width, height }: Page): Promise<Uint8Array> {
  const size = { width: Math.round(width / OVERSAMPLING), height: Math.round(height / OVERSAMPLING) };
  const page = await rawImage(data, width, height).resize({ ...size, fit: 'fill' }).extend({ top: 1, bottom: 1, left: 1, right: 1, background: EDGE }).png().toBuffer();
  return sharp({ create: { ...PICTURE, channels: 3, background: AROUND } }).composite([{ input: page }]).png().toBuffer();
}
