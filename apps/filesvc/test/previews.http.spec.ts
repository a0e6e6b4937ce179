import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { EventBus, type PublicEvent } from '@twinyard/events';
import { eventually, sharedData } from '@twinyard/testing';
import { cornersOf, ink, pdf, photograph, sideways } from '@twinyard/testing/drawable-files';
import sharp from 'sharp';
import { PreviewWorker } from '../src/previews/preview-worker';
import { keepBusy } from './busy-service';
import { type FileBody, FILES, FilesvcUnderTest, NS, OTHER } from './filesvc-under-test';
import { PreviewedFiles } from './previewed-files';

const ROOT = resolve(__dirname, '../../..');
/** For a person to look at. */
const ARTIFACTS = join(ROOT, '.artifacts', 'previews');
const SIZE = { width: 640, height: 480 };
const PAGE = [
  '0.11 0.30 0.55 rg 0 762 595 80 re f', 'BT 1 1 1 rg /F1 30 Tf 50 790 Td (Fire protection concept) Tj ET',
  ...['1  Escape routes', '2  Compartments', '3  Smoke extraction'].map((line, index) => `BT 0 0 0 rg /F1 16 Tf 50 ${700 - index * 30} Td (${line}) Tj ET`),
  '0.8 0.8 0.82 rg 50 200 495 360 re f 1 1 1 rg 70 220 200 320 re f 290 220 235 150 re f 290 390 235 150 re f',
].join('\n');

describe('previews', () => {
  let filesvc: FilesvcUnderTest;
  let previews: PreviewedFiles;
  const told: PublicEvent[] = [];
  beforeAll(async () => {
    filesvc = await FilesvcUnderTest.start({ PREVIEW_PROCESSES: 1 });
    previews = new PreviewedFiles(filesvc);
    const handler = async ({ data }: { data: PublicEvent }): Promise<void> => { told.push(data); };
    (await filesvc.app.get(EventBus).subscribe({ group: 'spec', topics: ['filesvc.file'], handler })).start();
    mkdirSync(ARTIFACTS, { recursive: true });
  });
  afterAll(() => filesvc?.stop());

  const saved = async (name: string, file: FileBody) => {
    const { body, headers } = await previews.picture(file);
    writeFileSync(join(ARTIFACTS, `${name}.${headers['content-type'] === 'image/jpeg' ? 'jpg' : 'png'}`), body);
    expect(await sharp(body).metadata()).toMatchObject(SIZE);
    return body;
  };
  const query = `width=${SIZE.width}&height=${SIZE.height}`;

  it('are made of photographs, upright, of the first page of a PDF, of the first lines of a text', async () => {
    const worker = filesvc.app.get(PreviewWorker);
    expect(worker.processes.map(({ pid }) => pid)).toEqual([undefined]);
    const corners = ['red', 'green', 'blue', 'yellow'];
    expect(await cornersOf(await saved('photograph', await filesvc.upload('photograph.jpg', await sideways(await photograph(4_000, 3_000)))))).toEqual(corners);
    expect(worker.processes[0]?.pid).toBeGreaterThan(0);
    expect(await ink(await saved('page', await filesvc.upload('concept.pdf', pdf(PAGE))))).toBeGreaterThan(0.02);
    const text = 'Tagebuch der Baustelle\n\n2026-11-22  Türen im 2. OG geliefert: 14 Stück, 3 × T30\n2026-11-23  Estrich — 120 m²\n'.repeat(6);
    expect(await ink(await saved('text', await filesvc.upload('tagebuch.txt', text)))).toBeGreaterThan(0.01);
    const russian = 'Журнал строительства\n\n2026-11-22  Двери на 2-м этаже доставлены: 14 шт., 3 × T30\n2026-11-23  Стяжка пола — 120 м²\n'.repeat(6);
    expect(await ink(await saved('text in Russian', await filesvc.upload('журнал.txt', russian)))).toBeGreaterThan(0.01);
  });

  it('are made of a building model: its plan', async () => {
    const file = await filesvc.upload('sample.ifc', readFileSync(join(ROOT, 'tools/sample/sample-building.ifc')));
    expect(await ink(await saved('sample-building', file))).toBeGreaterThan(0.002);
  });

  const duplex = sharedData('duplex.ifc');
  (duplex === undefined ? it.skip : it)('the preview of ../shared/data/duplex.ifc is the plan of a house', async () => {
    expect(await ink(await saved('duplex', await filesvc.upload('duplex.ifc', readFileSync(duplex as string))))).toBeGreaterThan(0.01);
  });

  it('are told with the file, its version and the list, and by an event', async () => {
    const file = await filesvc.upload('told.txt', 'told');
    const { headers } = await filesvc.as('owner', 'get', `${FILES}/${file._id}`).expect(200);
    await previews.picture(file);
    const preview = { _id: expect.stringMatching(/^[0-9a-f-]{36}$/), _width: 640, _height: 480, _fileVersionId: file._tipId } as unknown;
    const { body } = (await filesvc.as('owner', 'get', `${FILES}/${file._id}`).set('if-none-match', headers['etag'] ?? '').expect(200)) as { body: FileBody };
    expect([body['_previews'], (body._fileVersion as unknown as FileBody)['_previews']]).toEqual([[preview], [preview]]);
    for (const path of [`${FILES}/${file._id}/versions`, FILES]) {
      const { _list } = (await filesvc.as('owner', 'get', path, path === FILES ? { _ids: file._id } : {}).expect(200)).body as { _list: FileBody[] };
      expect(_list.map((record) => record['_previews'])).toEqual([[preview]]);
    }
    const event = await eventually(() => {
      const [found] = told.filter(({ resource }) => resource._id === (body['_previews'] as [FileBody])[0]._id);
      if (found === undefined) throw new Error('nobody was told');
      return found;
    });
    expect(event).toMatchObject({ event: 'resource.ResourceCreated', user: { id: 'owner' }, requestId: expect.stringMatching(/./) });
    expect(event.resource).toMatchObject({ type: 'filesvc.Preview', _name: 'told.txt', _namespaces: [NS], _fileId: file._id, _fileVersionId: file._tipId, _version: 1, _fileSize: expect.any(Number) });
  });

  it('are served as downloads are: to anybody with the address, with ranges, from any origin', async () => {
    const file = await filesvc.upload('served.txt', 'served');
    const { body: whole, headers } = await previews.picture(file);
    expect(headers).toMatchObject({
      'content-type': 'image/png', 'content-length': String(whole.length), 'x-content-type-options': 'nosniff', 'accept-ranges': 'bytes', 'access-control-allow-origin': '*',
      'content-disposition': expect.stringContaining('served.txt') as unknown,
    });
    const address = await previews.address(file);
    const head = await previews.download(address, {}, 'head');
    expect([head.status, head.headers['content-length']]).toEqual([200, String(whole.length)]);
    const part = await previews.download(address, { range: 'bytes=1-3' });
    expect([part.status, part.body.toString()]).toEqual([206, 'PNG']);
    expect((await previews.download(address, { 'if-none-match': headers['etag'] ?? '' })).status).toBe(304);
    expect((await previews.download(address.replace(/signature=.{5}/, 'signature=AAAAA'))).status).toBe(403);
    const [, previewId = ''] = /previews\/([^/]+)\//.exec(address) ?? [];
    // An address of a picture is none of a version, nor the other way about.
    expect((await previews.download(address.replace('/previews/', '/'))).status).toBe(404);
    const content = await filesvc.address(file);
    expect((await previews.download(content.replace('/content/', '/content/previews/'))).status).toBe(404);
    expect((await previews.download(address.replace(previewId, file._tipId))).status).toBe(403);
  });

  it('are told to those who may read the file, in the one size that there is', async () => {
    const file = await filesvc.upload('asked.txt', 'asked');
    await previews.picture(file);
    const version = `${FILES}/${file._id}/versions/${file._tipId}/previewurl`;
    const { body } = await filesvc.as('owner', 'get', `${version}?${query}`).expect(200);
    expect(body).toMatchObject({ _id: file._tipId, _fileId: file._id, _name: 'asked.txt', _previewUrl: expect.stringMatching(/^http:\/\/twinyard\.test\/filesvc\/api\/v1\/content\/previews\//) as unknown });
    await filesvc.as('owner', 'get', `${FILES}/${file._id}/previewurl?${query}`).expect(200);
    for (const wrong of ['', 'width=640', 'height=480', 'width=480&height=640', 'width=64000&height=480', 'width=x&height=480']) await filesvc.as('owner', 'get', `${version}?${wrong}`).expect(400);
    await filesvc.as('owner', 'get', `${FILES}/${file._id}/previewurl?width=320`).expect(400);
    for (const path of [`${version}?${query}`, `${FILES}/${file._id}/previewurl`]) {
      await filesvc.as('nobody', 'get', path).expect(404);
      await filesvc.as('stranger', 'get', path, { nsfilter: OTHER }).expect(404);
      await filesvc.send('get', path).expect(401);
    }
  });

  it('give way to answers while the service is busy, and are made all the same', async () => {
    const folder = await filesvc.makeFolder('busy');
    const stop = keepBusy();
    try {
      const sent = filesvc.as('owner', 'post', FILES, { _namespaces: NS, _parents: folder._id });
      const texts = ['one', 'two', 'three'].reduce((message, name) => message.attach('file', Buffer.from(name), `${name}.txt`), sent);
      const files = (await texts.expect(201)).body as FileBody[];
      for (const file of files) expect(await previews.ended(file)).toMatchObject({ state: 'DONE' });
      const made = await filesvc.query<{ at: string }>(
        'SELECT extract(epoch FROM preview.created_at) AS at FROM preview JOIN file ON tip_id = version_id WHERE parent_id = $1 ORDER BY 1', [folder._id],
      );
      const [first = 0, second = 0, third = 0] = made.map(({ at }) => Number(at));
      expect(Math.min(second - first, third - second)).toBeGreaterThan(0.9);
    } finally {
      stop();
    }
  });

  it('are not made of what there are no pictures of', async () => {
    const folder = await filesvc.makeFolder('a folder');
    await filesvc.as('owner', 'get', `${FILES}/${folder._id}/previewurl`).expect(404);
    for (const [name, content] of [['a.zip', Buffer.from('PK\x03\x04\x00\x00\x00\x00\x00', 'latin1')], ['empty.png', ''], ['chinese.txt', '施工日志：二楼的门已送达\n']] as const) {
      const file = await filesvc.upload(name, content);
      expect(await previews.ended(file)).toEqual({ state: 'NONE', failure: null });
      await filesvc.as('owner', 'get', `${FILES}/${file._id}/previewurl`).expect(404);
    }
  });

  it('are made of the content, whatever it is called and however it is encoded', async () => {
    const picture = await photograph(300, 300);
    const named = await filesvc.upload('not a picture.bin', picture);
    expect((await previews.picture(named)).headers['content-type']).toBe('image/jpeg');
    for (const content of [picture, Buffer.from('line\n'.repeat(100_000))]) {
      const post = filesvc.as('owner', 'post', FILES, { _namespaces: NS }).set('content-encoding', 'gzip');
      const [file] = (await post.attach('file', gzipSync(content), 'zipped').expect(201)).body as [FileBody];
      expect(await ink((await previews.picture(file)).body)).toBeGreaterThan(0.002);
    }
  });

  it('go with their version: the file shows that of the tip before', async () => {
    const first = await filesvc.upload('versions.txt', 'one');
    const before = await previews.picture(first);
    const second = await filesvc.upload('versions.txt', 'two, and more');
    await previews.picture(second);
    const [oldAddress, keys] = [await previews.address(second), await previews.blobs()];
    await filesvc.as('owner', 'delete', `${FILES}/${first._id}/versions/${second._tipId}`).expect(204);
    expect((await previews.download(oldAddress)).status).toBe(404);
    expect((await previews.download(await previews.address(first))).body).toEqual(before.body);
    await eventually(async () => expect(await previews.blobs()).toHaveLength(keys.length - 1));
    await filesvc.as('owner', 'delete', `${FILES}/${first._id}`).expect(204);
    await eventually(async () => expect(await previews.blobs()).toHaveLength(keys.length - 2));
    expect(await filesvc.query('SELECT 1 FROM preview WHERE version_id = ANY($1::uuid[])', [[first._tipId, second._tipId]])).toEqual([]);
  });
});
