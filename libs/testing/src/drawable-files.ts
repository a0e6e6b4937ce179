import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';

/** A picture whose corners tell which way is up: red, green, blue, yellow from the top left, clockwise. */
export async function photograph(width: number, height: number): Promise<Buffer> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 4 3" preserveAspectRatio="none">
    <rect width="2" height="1.5" fill="#d02020"/><rect x="2" width="2" height="1.5" fill="#20a020"/>
    <rect x="2" y="1.5" width="2" height="1.5" fill="#2040d0"/><rect y="1.5" width="2" height="1.5" fill="#e0c020"/></svg>`;
  return sharp(Buffer.from(svg)).removeAlpha().jpeg({ quality: 90 }).toBuffer();
}

/** As a camera on its side stores it: turned, with a mark that says so. */
export const sideways = async (upright: Buffer): Promise<Buffer> => sharp(upright).rotate(-90).withMetadata({ orientation: 6 }).jpeg().toBuffer();

/** The colours near the four corners of what is not padding, from the top left, clockwise. */
export async function cornersOf(picture: Uint8Array): Promise<string[]> {
  const { data, info } = await sharp(await sharp(picture).trim({ threshold: 30 }).toBuffer()).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const at = (x: number, y: number) => {
    const start = (Math.floor(y * info.height) * info.width + Math.floor(x * info.width)) * 3;
    return nameOf([...data.subarray(start, start + 3)]);
  };
  return [at(0.1, 0.1), at(0.9, 0.1), at(0.9, 0.9), at(0.1, 0.9)];
}

function nameOf([red = 0, green = 0, blue = 0]: number[]): string {
  if (red > 180 && green > 150) return 'yellow';
  if (red > green && red > blue) return 'red';
  return green > blue ? 'green' : 'blue';
}

/** How much of a picture is neither white nor its padding. */
export async function ink(picture: Uint8Array): Promise<number> {
  const grey = await sharp(picture).greyscale().raw().toBuffer();
  return grey.filter((value) => value < 128).length / grey.length;
}

/** One page of PDF, with this content stream. */
export function pdf(content: string, mediaBox = '0 0 595 842', trailer = ''): Buffer {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [${mediaBox}] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>`,
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`, '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  return Buffer.from(`%PDF-1.7\n${objects.map((object, index) => `${index + 1} 0 obj\n${object}\nendobj\n`).join('')}trailer\n<< /Size 6 /Root 1 0 R ${trailer} >>\n%%EOF\n`);
}

/** A PNG of few bytes that announces so many pixels. */
export function pngOf(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 6, 0, 0, 0], 8);
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), chunk('IHDR', header), chunk('IDAT', deflateSync(Buffer.alloc(4_000_000))), chunk('IEND', Buffer.alloc(0))]);
}

function chunk(type: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

/** The size that a JPEG says it has, changed to the largest that it can say. */
export function hugeJpeg(jpeg: Buffer): Buffer {
  const at = jpeg.indexOf(Buffer.from([0xff, 0xc0]));
  const huge = Buffer.from(jpeg);
  huge.writeUInt16BE(65_500, at + 5);
  huge.writeUInt16BE(65_500, at + 7);
  return huge;
}

/** Noise, so many times: the default takes minutes. */
export const slowSvg = (times = 2_000) => {
  const noise = '<rect width="640" height="480" filter="url(#f)"/>'.repeat(times);
  return Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="640" height="480"><filter id="f"><feTurbulence baseFrequency="0.9" numOctaves="10"/></filter>${noise}</svg>`);
};
