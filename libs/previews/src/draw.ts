import { open, readFile } from 'node:fs/promises';
import { drawImage, drawSvg } from './draw-image';
import { drawPdf, drawWholePage } from './draw-pdf';
import { drawPlan } from './ifc/draw-plan';
import type { Kind } from './kind';
import { NoPicture, type Picture } from './picture';
import { decodeText } from './text/decode-text';
import { TEXT_BYTES } from './text/text-bytes';
import { textPage } from './text/text-page';

const MAX_SVG_BYTES = 16 * 1024 ** 2;

/** The picture of a file whose kind is known. @throws NoPicture */
export async function drawFile(kind: Kind, path: string): Promise<Picture> {
  switch (kind) {
    case 'image':
      return drawImage(path);
    case 'svg':
      return drawSvg(await wholeSvg(path));
    case 'pdf':
      return drawPdf(await readFile(path));
    case 'text':
      return drawText(await firstBytes(path, TEXT_BYTES));
    case 'ifc':
      return drawModel(await readFile(path));
  }
}

/** The plan has nothing in it that an SVG could ask for, and no text that would need a font. */
async function drawModel(bytes: Uint8Array): Promise<Picture> {
  return drawSvg(Buffer.from(await drawPlan(bytes)));
}

async function drawText(bytes: Uint8Array): Promise<Picture> {
  const page = await textPage(decodeText(bytes));
  if (page === undefined) throw new NoPicture('has nothing to show');
  return drawWholePage(page);
}

async function wholeSvg(path: string): Promise<Uint8Array> {
  const bytes = await firstBytes(path, MAX_SVG_BYTES + 1);
  if (bytes.length > MAX_SVG_BYTES) throw new NoPicture('is too large');
  return bytes;
}

async function firstBytes(path: string, most: number): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(size, most)), { position: 0 });
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
