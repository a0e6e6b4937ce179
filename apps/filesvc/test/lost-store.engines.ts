import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { ObjectStore } from '@twinyard/blobs';
import { type EngineName, eventually, onEngine, type OwnEngines, ownEngines } from '@twinyard/testing';
import { FILES, type FileBody, FilesvcUnderTest, NS } from './filesvc-under-test';
import { s3SettingsOf } from './on-s3';

const MEBIBYTE = 1024 ** 2;
const BOUNDARY = '----a-boundary-of-the-tests';
const HEAD = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="large.bin"\r\n\r\n`;
const TAIL = `\r\n--${BOUNDARY}--\r\n`;
/** More than the service and the line take up before the store has had its first parts. */
const FIRST = 24 * MEBIBYTE;
const REST = 16 * MEBIBYTE;

/** An upload of FIRST bytes, then of REST when it is told to go on. */
function beginUpload(filesvc: FilesvcUnderTest) {
  const sending = httpRequest(`${filesvc.url}${FILES}?nsfilter=${NS}&_namespaces=${NS}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${filesvc.tokenOf('owner')}`, 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
  });
  const answered = once(sending, 'response').then(([response]) => response as IncomingMessage);
  sending.write(HEAD);
  const sent = new Promise((resolve) => sending.write(Buffer.alloc(FIRST, 1), resolve));
  return {
    sent,
    goOn: async () => {
      sending.write(Buffer.alloc(REST, 2));
      sending.end(TAIL);
      const response = await answered;
      return { status: response.statusCode, headers: response.headers, body: await text(response) };
    },
  };
}

for (const engine of ['versitygw', 'minio'] satisfies EngineName[]) {
  onEngine(engine, () => {
    describe('the S3 is killed', () => {
      let engines: OwnEngines;
      let filesvc: FilesvcUnderTest;
      beforeAll(async () => {
        engines = await ownEngines([engine]);
        filesvc = await FilesvcUnderTest.start(s3SettingsOf(engines.settings));
      });
      afterAll(async () => {
        await filesvc?.stop();
        await engines?.stop();
      });

      const isReady = async () => (await fetch(`${filesvc.url}/health/ready`)).status === 200;
      const download = async (file: FileBody) => filesvc.send('get', await filesvc.address(file));

      it('during an upload: 503, nothing half-written, and all is well when it is back', async () => {
        const earlier = await filesvc.upload('earlier.txt', 'acknowledged');
        const upload = beginUpload(filesvc);
        await upload.sent;
        await engines.kill(engine);

        const failed = await upload.goOn();
        expect(failed.status).toBe(503);
        expect(failed.headers['retry-after']).toMatch(/^\d+$/);
        expect(JSON.parse(failed.body)).toMatchObject({ code: 'unavailable', message: expect.not.stringContaining('127.0.0.1') });
        expect((await filesvc.list({ _name: '^large' }))._total).toBe(0);
        expect((await download(earlier)).status).toBe(503);
        await eventually(async () => expect(await isReady()).toBe(false));

        await engines.restart(engine);
        await eventually(async () => expect(await isReady()).toBe(true));
        expect((await download(earlier)).text).toBe('acknowledged');
        expect((await beginUpload(filesvc).goOn()).status).toBe(201);
        const [large] = (await filesvc.list({ _name: '^large' }))._list;
        expect(large?._fileVersion).toMatchObject({ _fileSize: FIRST + REST });
      });

      it('and what the upload left behind is swept: the store holds what files hold', async () => {
        await filesvc.sweep(new Date(Date.now() + 2 * 86_400_000));
        expect(await filesvc.query('SELECT key FROM loose_blob')).toEqual([]);
        const held = await filesvc.query<{ blob_key: string }>('SELECT blob_key FROM file_version');
        expect((await filesvc.blobs()).sort()).toEqual(held.map(({ blob_key }) => blob_key).sort());
        await expect(filesvc.app.get(ObjectStore).sweep(new Date(Date.now() + 60_000))).resolves.toBe(0);
      });

      it('during a download: it breaks off, not short and not as if it were whole, and the service stays up', async () => {
        const [large] = (await filesvc.list({ _name: '^large' }))._list;
        const address = filesvc.url + (await filesvc.address(large as FileBody));
        const answer = await fetch(address);
        const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
        await reader.read();
        await engines.kill(engine);
        await expect((async () => {
          while (!(await reader.read()).done);
        })()).rejects.toThrow('terminated');
        expect((await fetch(`${filesvc.url}/health/live`)).status).toBe(200);
        await engines.restart(engine);
        await eventually(async () => expect(await isReady()).toBe(true));
        expect((await (await fetch(address)).arrayBuffer()).byteLength).toBe(FIRST + REST);
      });

      it('before the service starts: it starts, is not ready, and is ready when the S3 comes', async () => {
        await engines.kill(engine);
        const late = await FilesvcUnderTest.start(s3SettingsOf(engines.settings));
        const ready = async () => (await fetch(`${late.url}/health/ready`)).json();
        await eventually(async () => expect(await ready()).toEqual({ status: 'not ready', failing: ['blobs'] }));
        expect((await fetch(`${late.url}/health/live`)).status).toBe(200);
        await engines.restart(engine);
        await eventually(async () => expect(await ready()).toEqual({ status: 'ready' }));
        await late.upload('first.txt', 'x');
        await late.stop();
      });
    });
  });
}
