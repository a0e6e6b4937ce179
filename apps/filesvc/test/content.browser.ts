import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { eventually } from '@twinyard/testing';
import { inChromium, launch } from '@twinyard/testing/chromium';
import type { FastifyInstance } from 'fastify';
import type { Browser, Page } from 'playwright-core';
import { FILES, type FileBody, FilesvcUnderTest, NS } from './filesvc-under-test';

/** One white point. */
const GIF = Buffer.from('R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs=', 'base64');
const TEXT = 'Zeile für Zeile\n'.repeat(50_000);
const SECONDS = 300;
const SAMPLES_PER_SECOND = 44_100;

/** Minutes of silence: large enough that a browser does not fetch all of it before it is asked to go elsewhere. */
function sound(): Buffer {
  const header = Buffer.alloc(44);
  const length = SECONDS * SAMPLES_PER_SECOND * 2;
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + length, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(SAMPLES_PER_SECOND, 24);
  header.writeUInt32LE(SAMPLES_PER_SECOND * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(length, 40);
  return Buffer.concat([header, Buffer.alloc(length)]);
}

interface Seen {
  readonly method: string;
  readonly range: string | undefined;
  readonly response: ServerResponse;
}

inChromium('downloads in a browser, on a page of another origin', (test) => {
  let filesvc: FilesvcUnderTest;
  let browser: Browser;
  let elsewhere: Server;
  let page: Page;
  const seen: Seen[] = [];

  beforeAll(async () => {
    filesvc = await FilesvcUnderTest.start();
    const instance = filesvc.app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
    instance.server.on('request', (request, response) => {
      seen.push({ method: String(request.method), range: request.headers.range, response });
    });
    // A page of a viewer that is isolated, as those are that share memory between threads.
    elsewhere = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' });
      response.end('<!DOCTYPE html><title>A viewer</title>');
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    browser = await launch();
  });
  beforeEach(async () => {
    page = await (await browser.newContext()).newPage();
    await page.goto(`http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`);
    seen.length = 0;
  });
  afterEach(() => page?.context().close());
  afterAll(async () => {
    await browser?.close();
    elsewhere?.close();
    await filesvc?.stop();
  });

  const addressOf = async (name: string, content: Buffer | string, contentType: string, encoding?: string) => {
    const sent = filesvc.as('owner', 'post', FILES, { _namespaces: NS }).set(encoding === undefined ? {} : { 'content-encoding': encoding });
    const [file] = (await sent.attach('file', Buffer.from(content), { filename: name, contentType }).expect(201)).body as FileBody[];
    return `http://localhost:${new URL(filesvc.url).port}${await filesvc.address(file as FileBody)}`;
  };
  const inPage = <T>(script: string): Promise<T> => page.evaluate<T>(script);

  test('pictures are shown, also where the page is isolated', async () => {
    const address = await addressOf('white.gif', GIF, 'image/gif');
    expect(await inPage('crossOriginIsolated')).toBe(true);
    for (const mode of ['', `image.crossOrigin = 'anonymous';`]) {
      const width = await inPage<number>(`new Promise((resolve, reject) => { const image = new Image(); ${mode} image.onload = () => resolve(image.naturalWidth); image.onerror = () => reject(new Error('not shown')); image.src = ${JSON.stringify(address)}; })`);
      expect([mode, width]).toEqual([mode, 1]);
    }
  });

  test('a film is wound on by ranges, without what lies between', async () => {
    const content = sound();
    const address = await addressOf('long.wav', content, 'audio/wav');
    const at = await inPage<number>(`new Promise((resolve, reject) => {
      const film = document.body.appendChild(document.createElement('video'));
      film.preload = 'metadata'; film.muted = true;
      film.onerror = () => reject(new Error(film.error.message));
      film.onloadedmetadata = () => { film.onseeked = () => resolve(film.currentTime); film.currentTime = ${SECONDS - 10}; };
      film.src = ${JSON.stringify(address)};
    })`);
    expect(at).toBeCloseTo(SECONDS - 10, 1);
    // The browser asks for more while it shows what it has: one that is not answered yet says nothing.
    const answered = () => seen.filter(({ range, response }) => range !== undefined && response.headersSent);
    const starts = () => answered().map(({ range }) => Number(/^bytes=(\d+)-/.exec(range ?? '')?.[1]));
    await eventually(() => expect(Math.max(...starts())).toBeGreaterThan(content.length / 2));
    expect(new Set(answered().map(({ response }) => response.statusCode))).toEqual(new Set([206]));
  });

  test('fetch reads one range and several, with their headers', async () => {
    const address = await addressOf('text.txt', TEXT, 'text/plain; charset=utf-8');
    const ask = (range: string) => inPage<{ status: number; range: string | null; type: string; length: string; tag: string; text: string }>(`fetch(${JSON.stringify(address)}, { headers: { range: ${JSON.stringify(range)} } })
      .then(async (answer) => ({ status: answer.status, range: answer.headers.get('content-range'), type: answer.headers.get('content-type'), length: answer.headers.get('content-length'), tag: answer.headers.get('etag'), text: await answer.text() }))`);
    expect(await ask('bytes=0-4')).toMatchObject({ status: 206, range: `bytes 0-4/${Buffer.byteLength(TEXT)}`, length: '5', text: 'Zeile', tag: expect.stringMatching(/^"[0-9a-f]{64}"$/) as string });
    const several = await ask('bytes=0-4,17-21');
    expect(several).toMatchObject({ status: 206, range: null, type: expect.stringMatching(/^multipart\/byteranges; boundary=/) as string });
    expect(several.text.match(/\r\n\r\nZeile\r\n/g)).toHaveLength(2);
    // Several ranges are no "simple" header: the browser asks first.
    expect(seen.map(({ method }) => method)).toContain('OPTIONS');
  });

  test('fetch sees what an encoding holds, whether the browser undoes it or the service', async () => {
    for (const [encoding, bytes] of [['gzip', gzipSync(TEXT)], ['br', brotliCompressSync(TEXT)]] as const) {
      const address = await addressOf(`${encoding}.txt`, bytes, 'text/plain; charset=utf-8', encoding);
      expect(await inPage<string>(`fetch(${JSON.stringify(address)}).then((answer) => answer.text())`)).toBe(TEXT);
    }
  });

  test('what is asked for again comes from what the browser keeps', async () => {
    // A new browser keeps nothing of its first answers: what it keeps them in is still being opened, on a busy machine for a while.
    await eventually(async () => {
      const address = await addressOf('kept.txt', TEXT, 'text/plain');
      seen.length = 0;
      for (let time = 0; time < 3; time += 1) await inPage(`fetch(${JSON.stringify(address)}).then((answer) => answer.text())`);
      expect(seen.filter(({ method }) => method === 'GET')).toHaveLength(1);
    });
  });

  test('active content is saved under its name, not shown', async () => {
    const address = await addressOf('Grundriß "A" 図.html', '<script>document.title = "ran"</script>', 'text/html');
    const saving = page.waitForEvent('download');
    await page.goto(address).catch(() => undefined); // "Download is starting"
    expect((await saving).suggestedFilename()).toMatch(/^Grundriß .A. 図\.html$/);
    expect(await page.title()).toBe('A viewer');
  });

  test('a text is shown and nothing in it runs', async () => {
    const address = await addressOf('script.txt', 'Minutes: <script>document.title = "ran"</script>', 'text/plain');
    await page.goto(address);
    expect(await page.title()).not.toBe('ran');
    expect(await page.innerText('body')).toContain('<script>');
  });
});
