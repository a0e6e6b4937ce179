import { existsSync, mkdtempSync, promises, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@twinyard/testing';
import sharp from 'sharp';
import { HEAD_BYTES, type Kind, kindOf } from '../src/kind';
import { DrawingInterrupted, type DrawingLimits, DrawingProcess } from '../src/process/drawing-process';
import { cornersOf, hugeJpeg, ink, pdf, photograph, pngOf, sideways, slowSvg } from '@twinyard/testing/drawable-files';

const LIMITS: DrawingLimits = { timeoutMs: 60_000, memoryMb: 768, idleMs: 60_000 };

describe('a process that draws', () => {
  let folder: string;
  let drawer: DrawingProcess;
  const started: DrawingProcess[] = [];
  const processWith = (limits: Partial<DrawingLimits> = {}) => {
    const made = new DrawingProcess({ ...LIMITS, ...limits });
    started.push(made);
    return made;
  };
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'twinyard-drawing-'));
    drawer = processWith();
  });
  afterAll(() => {
    for (const made of started) made.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const draw = async (content: Buffer | string, kind: Kind | undefined = kindOf(Buffer.from(content).subarray(0, HEAD_BYTES)), by = drawer): Promise<{ contentType: string; picture: Buffer }> => {
    if (kind === undefined) throw new Error('there is no picture of such a file');
    const [input, output] = [join(folder, 'input'), join(folder, 'output')];
    writeFileSync(input, content);
    const { contentType } = await by.draw({ kind, input, output });
    const picture = readFileSync(output);
    const { width, height, format } = await sharp(picture).metadata();
    expect({ width, height, contentType }).toEqual({ width: 640, height: 480, contentType: `image/${format}` });
    return { contentType, picture };
  };

  it('draws a photograph upright, whichever way the camera was held, and pads it with white', async () => {
    const upright = await photograph(2_000, 1_000);
    const corners = ['red', 'green', 'blue', 'yellow'];
    const { picture, contentType } = await draw(upright);
    expect([contentType, await cornersOf(picture)]).toEqual(['image/jpeg', corners]);
    expect(await cornersOf((await draw(await sideways(upright))).picture)).toEqual(corners);
    expect([...(await sharp(picture).extract({ left: 5, top: 5, width: 1, height: 1 }).raw().toBuffer())]).toEqual([255, 255, 255]);
  });

  it('shows what is transparent on white, of what moves the first frame, and does not enlarge what is small', async () => {
    const half = await sharp({ create: { width: 16, height: 16, channels: 4, background: { r: 255, g: 0, b: 0, alpha: 0.5 } } }).png().toBuffer();
    const { picture, contentType } = await draw(half);
    const pixel = async (left: number, top: number) => [...(await sharp(picture).extract({ left, top, width: 1, height: 1 }).removeAlpha().raw().toBuffer())];
    expect([contentType, await pixel(320, 240), await pixel(340, 240)]).toEqual(['image/png', [255, 127, 127], [255, 255, 255]]);
    const frames = ['#d02020', '#2040d0'].map((background) => ({ create: { width: 300, height: 200, channels: 3 as const, background } }));
    const moving = await sharp(await Promise.all(frames.map((frame) => sharp(frame).png().toBuffer())), { join: { animated: true } }).gif().toBuffer();
    expect((await sharp(moving, { animated: true }).metadata()).pages).toBe(2);
    expect(new Set(await cornersOf((await draw(moving)).picture))).toEqual(new Set(['red']));
  });

  it('draws the first page of a PDF, whatever its size', async () => {
    const page = '0.8 0.1 0.1 rg 0 0 9999 9999 re f';
    for (const box of ['0 0 595 842', '0 0 9000 9000', '0 0 3 900']) {
      const [red = 0, green = 255] = await sharp((await draw(pdf(page, box))).picture).extract({ left: 320, top: 240, width: 1, height: 1 }).raw().toBuffer();
      expect([box, red > 180, green < 60]).toEqual([box, true, true]);
    }
    await draw(pdf(page, '0 0 90000000 90000000'));
    await expect(draw(pdf(page, '0 0 0 0').subarray(0, 200), 'pdf')).rejects.toThrow('the file is broken');
    expect(await ink((await draw(pdf('BT /F1 80 Tf 60 500 Td (Hello) Tj ET'))).picture)).toBeGreaterThan(0.002);
  });

  it('draws text without any font of the machine, in whichever encoding it comes', async () => {
    const text = 'Räume und Türen: 3 × 4 m²\r\n\tZweite Zeile\n'.repeat(20);
    const pictures = await Promise.all([Buffer.from(text), Buffer.from(`\ufeff${text}`, 'utf16le'), Buffer.from(text, 'utf16le'), Buffer.from(text, 'latin1')].map(async (bytes) => ({ bytes })));
    const drawn: string[] = [];
    for (const { bytes } of pictures) drawn.push((await draw(bytes)).picture.toString('base64'));
    expect(new Set(drawn).size).toBe(1);
    expect(await ink(Buffer.from(drawn[0] ?? '', 'base64'))).toBeGreaterThan(0.01);
    expect(await ink((await draw('one line '.repeat(100_000))).picture)).toBeGreaterThan(0.02);
    expect((await draw('\u001b[31mred\u001b[0m\n')).picture).toEqual((await draw('red\n')).picture);
  });

  it('draws Cyrillic, Greek, Armenian and Georgian letters, and a box for what it has no letter for; of a text of boxes there is no picture', async () => {
    const shown = async (character: string) => (await draw(`Among letters: ${character}\n`)).picture;
    const box = await shown('中');
    for (const [one, other] of ['Жж', 'Її', 'Ωω', 'Աա', 'ქმ', '≤→', 'Łİ'].map((pair) => [...pair])) {
      const [first, second] = [await shown(one ?? ''), await shown(other ?? '')];
      expect([one, first.equals(box), second.equals(box), first.equals(second)]).toEqual([one, false, false, false]);
    }
    // Joined letters in a row, from left to right, would be nothing that anybody wrote.
    for (const unknown of ['文', '한', '😀', 'ع', 'ש', '\ufffd']) expect([unknown, (await shown(unknown)).equals(box)]).toEqual([unknown, true]);
    for (const diary of ['Журнал строительства: двери доставлены, 14 шт.\n', 'Ημερολόγιο εργοταξίου: 14 τεμάχια\n']) expect(await ink((await draw(diary.repeat(20))).picture)).toBeGreaterThan(0.02);
    await expect(draw('施工日志：二楼的门已送达\n', 'text')).rejects.toThrow('has nothing to show');
  });

  it('reads Cyrillic letters of one byte, and letters with accents among others as before', async () => {
    const diary = 'Журнал строительства: двери доставлены, 14 шт. Door A-12\n'.repeat(20);
    const inOneByte = Buffer.from(diary.replace(/[\u0410-\u044f]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - 0x350)), 'latin1');
    expect((await draw(inOneByte)).picture.equals((await draw(diary)).picture)).toBe(true);
    const german = 'GRÖẞE ÄÖ: Räume, Türen\n'.replace('ẞ', 'ß').repeat(20);
    expect((await draw(Buffer.from(german, 'latin1'))).picture.equals((await draw(german)).picture)).toBe(true);
  });

  it('shows a letter with the accents that it has, and takes nothing from marks without end or orders to turn around', async () => {
    const shown = async (text: string) => (await draw(`${text}\n`, 'text')).picture;
    const composed = await shown('café');
    expect((await shown('cafe')).equals(composed)).toBe(false);
    for (const same of [`cafe\u0301${'\u0302'.repeat(30_000)}`, '\u202ecafé\u202c\u200b\u0007']) expect((await shown(same)).equals(composed)).toBe(true);
    expect((await shown('Ti\u1ebfng')).equals(await shown('Ti\u00eang'))).toBe(true);
  });

  it('draws an SVG without looking at any other file', async () => {
    const secret = join(folder, 'secret.png');
    writeFileSync(secret, await sharp({ create: { width: 9, height: 9, channels: 3, background: '#d02020' } }).png().toBuffer());
    const svg = (inside: string, doctype = '') => `<?xml version="1.0"?>${doctype}<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="40" height="30"><rect width="40" height="30" fill="#20a020"/>${inside}</svg>`;
    const { picture } = await draw(svg(''));
    expect(new Set(await cornersOf(picture))).toEqual(new Set(['green']));
    // Plans are drawn to the scale of the building: no point of that size is ever made.
    for (const [width, height] of [['40000mm', '30000mm'], ['400000', '300000']]) expect((await draw(svg('').replace('width="40" height="30"', `width="${width}" height="${height}" viewBox="0 0 40 30"`))).picture).toEqual(picture);
    for (const href of [secret, `file://${secret}`, 'secret.png']) expect((await draw(svg(`<image xlink:href="${href}" href="${href}" width="40" height="30"/>`))).picture).toEqual(picture);
    expect((await draw(svg('<script>while(true);</script>'))).picture).toEqual(picture);
    await draw(svg('<text y="20">&other;</text>', `<!DOCTYPE svg [<!ENTITY other SYSTEM "file://${secret}">]>`)).then((drawn) => expect(drawn.picture).toEqual(picture), (error: Error) => expect(error.message).toBe('the file is broken'));
  });

  it('says of what is broken or a bomb what it is, and draws the next file', async () => {
    const whole = await photograph(800, 600);
    await expect(draw(whole.subarray(0, whole.length / 2))).rejects.toThrow('the file is broken');
    await expect(draw(pngOf(100_000, 100_000))).rejects.toThrow('the file is too large');
    await expect(draw(hugeJpeg(whole))).rejects.toThrow('the file is too large');
    await expect(draw('%PDF-1.7\nnothing of a document')).rejects.toThrow('the file is broken');
    await expect(draw(`<svg xmlns="http://www.w3.org/2000/svg"><g>`)).rejects.toThrow('the file is broken');
    await expect(draw(`ISO-10303-21;\nHEADER;\nFILE_SCHEMA(('IFC2X3'));\nENDSEC;\nDATA;\n#1=IFCWALL(((((\n`)).rejects.toThrow(/the file (is broken|has nothing to show)/);
    expect((await draw(whole)).picture.length).toBeGreaterThan(1_000);
  });

  it('is ended when a file takes too long or too much memory, and another one draws the next', async () => {
    const hurried = processWith({ timeoutMs: 1_500 });
    await expect(draw(slowSvg(), 'svg', hurried)).rejects.toThrow('the file takes too long');
    // It holds more than this, and takes minutes: however seldom this process looks, it sees it.
    await expect(draw(slowSvg(), 'svg', processWith({ memoryMb: 64 }))).rejects.toThrow('the file needs too much memory');
  });

  it('is replaced when it is killed in the middle, and gone when there is nothing to draw', async () => {
    const mortal = processWith({ idleMs: 300 });
    const drawing = draw(slowSvg(), 'svg', mortal);
    const [pid] = await eventually(async () => {
      expect(mortal.pid).toBeDefined();
      return [mortal.pid ?? 0];
    });
    process.kill(pid, 'SIGKILL');
    await expect(drawing).rejects.toThrow(DrawingInterrupted);
    await draw('next', 'text', mortal);
    const next = mortal.pid ?? 0;
    expect(next).not.toBe(pid);
    await eventually(async () => expect(existsSync(`/proc/${next}/statm`) && readFileSync(`/proc/${next}/statm`, 'utf8') !== '0 0 0 0 0 0 0\n').toBe(false));
  });

  it('is not blamed, while it draws the next file, for what was measured of it before', async () => {
    const own = processWith();
    let late = (_statm: string): void => undefined;
    const measured = new Promise<string>((resolve) => (late = resolve));
    const read = jest.spyOn(promises, 'readFile').mockReturnValueOnce(measured).mockResolvedValue('');
    try {
      await eventually(async () => {
        await draw('one', 'text', own);
        expect(read).toHaveBeenCalled();
      });
      const next = draw('two', 'text', own);
      late('9999999 9999999 0 0 0 0 0');
      expect((await next).contentType).toBe('image/png');
    } finally {
      read.mockRestore();
    }
  });

  it('is never asked again once it has died, however soon after', async () => {
    const mortal = processWith();
    const pids = new Set<number | undefined>();
    const rounds = 20;
    for (let round = 0; round < rounds; round++) {
      const drawing = mortal.draw({ kind: 'text', input: join(folder, 'none'), output: join(folder, 'output') });
      pids.add(mortal.pid);
      process.kill(Number(mortal.pid), 'SIGKILL');
      await expect(drawing).rejects.toThrow(DrawingInterrupted);
    }
    expect(pids.size).toBe(rounds);
    await draw('next', 'text', mortal);
  });

  it('is gone when it is closed, and draws nothing any more', async () => {
    const closed = processWith();
    const drawing = draw(slowSvg(), 'svg', closed);
    await eventually(() => expect(closed.pid).toBeDefined());
    closed.close();
    await expect(drawing).rejects.toThrow(DrawingInterrupted);
    await expect(draw('late', 'text', closed)).rejects.toThrow(DrawingInterrupted);
    expect(closed.pid).toBeUndefined();
  });

  it('keeps no service from ending that has closed it: one of low priority dies late on a busy machine', async () => {
    const held = () => process.getActiveResourcesInfo().filter((name) => name === 'ProcessWrap').length;
    const closed = processWith();
    await draw('text', 'text', closed);
    const before = held();
    closed.close();
    expect(held()).toBe(before - 1);
  });

  it('knows nothing of the service that started it', async () => {
    await draw('text');
    expect(readFileSync(`/proc/${drawer.pid}/environ`, 'utf8').replaceAll('\0', '\n')).not.toMatch(/PATH=|SECRET|TOKEN|HOME=/);
  });

  it('tells what there is a picture of by the content alone', async () => {
    const of = (content: Buffer | string) => kindOf(Buffer.from(content));
    expect([of(await photograph(8, 8)), of(pngOf(1, 1)), of(pdf('')), of('a,b\n1,2\n'), of('<svg/>'), of('<?xml version="1.0"?>\n<!-- x -->\n<svg></svg>')]).toEqual(['image', 'image', 'pdf', 'text', 'svg', 'svg']);
    expect(of(`ISO-10303-21;\nHEADER;\nFILE_SCHEMA(('IFC4'));\n`)).toBe('ifc');
    expect(of(`ISO-10303-21;\nHEADER;\nFILE_SCHEMA(('AP214'));\n`)).toBe('text');
    const options = Array.from({ length: 120 }, (_, index) => `'Option [Elements to export ${index}: Visible elements (on all storeys)]'`).join(',\n');
    expect(of(Buffer.from(`ISO-10303-21;\nHEADER;\nFILE_DESCRIPTION((${options}),'2;1');\nFILE_SCHEMA(('IFC4'));\n`).subarray(0, HEAD_BYTES))).toBe('ifc');
    const tiles = await sharp(await photograph(8, 8)).tiff({ bigtiff: true }).toBuffer();
    const avif = await sharp(await photograph(8, 8)).avif({ effort: 0 }).toBuffer();
    for (const image of [tiles, Buffer.from(avif.toString('latin1').replace('ftypavif', 'ftypmif1'), 'latin1')]) expect([of(image), (await draw(image)).picture.length > 500]).toEqual(['image', true]);
    // Photographs of the same form in a coding that cannot be read here.
    expect(of('\0\0\0\x18ftypmif1\0\0\0\0mif1heic\0\0\x01\xd6meta')).toBeUndefined();
    expect([of(''), of('  \n'), of('PK\x03\x04\x00\x00\x00\x08'), of(Buffer.from(Array.from({ length: 4_096 }, (_, index) => (index * 7_919) % 256)))]).toEqual([undefined, undefined, undefined, undefined]);
  });
});
