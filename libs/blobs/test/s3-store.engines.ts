import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { ObjectMismatch, ObjectTooLarge, S3ObjectStore, type S3Options } from '../src';
import { engineSettings, eventually, onEngine } from '@twinyard/testing';
import { S3Client } from '../src/s3/s3-client.adapter';
import { Line } from './line';
import { killProcess, startS3Process } from './s3-process';
import { checked, keysOf, openS3, s3Options } from './s3-store-under-test';

const MEBIBYTE = 1024 ** 2;
const IN_A_MINUTE = () => new Date(Date.now() + 60_000);
const A_MINUTE_AGO = () => new Date(Date.now() - 60_000);
const unavailable = expect.objectContaining({ name: 'ServiceError', code: 'unavailable' });
const text = async (store: S3ObjectStore, key: string) => (await buffer(await store.get(key))).toString();

for (const engine of ['versitygw', 'minio'] as const) {
  onEngine(engine, () => {
    let options: S3Options;
    let store: S3ObjectStore;
    beforeAll(async () => {
      options = s3Options(engineSettings(engine));
      store = await openS3(options);
    });

    /** Of the one upload that goes on. */
    const lastPartAt = async () => {
      const uploads = new S3Client(options);
      for await (const upload of uploads.incompleteUploads()) return uploads.call((driver, bucket) => driver.lastPartAt(bucket, upload));
      return undefined;
    };

    describe('an object of many parts', () => {
      const bytes = randomBytes(12 * MEBIBYTE + 1);

      it('is put and read by few of them at a time: 300 MB in and out', async () => {
        const { said } = await startS3Process(options, 'transfer');
        const { put, get } = said as { put: number; get: number };
        // Parts have 5 MiB; what the collector has not come to yet is counted too.
        expect(put).toBeLessThan(60);
        expect(get).toBeLessThan(40);
        await store.delete('moved');
      });

      it('is read by ranges over the borders of parts', async () => {
        await store.put('ranged', Readable.from([bytes]));
        for (const [first, last] of [[5 * MEBIBYTE - 1, 5 * MEBIBYTE], [0, 10 * MEBIBYTE], [12 * MEBIBYTE, 12 * MEBIBYTE]] as const) {
          const found = await buffer(await store.get('ranged', { first, last }));
          expect(found.equals(bytes.subarray(first, last + 1))).toBe(true);
        }
      });

      it.each([
        ['another hash', { sha256: '0'.repeat(64) }, ObjectMismatch],
        ['another size', { size: bytes.length - 1 }, ObjectMismatch],
        ['too many bytes', { maxSize: 11 * MEBIBYTE }, ObjectTooLarge],
      ])('leaves what was there, and no parts, when it has %s', async (_fault, expected, error) => {
        await store.put('kept', Readable.from([Buffer.from('before')]));
        await expect(store.put('kept', Readable.from([bytes]), expected)).rejects.toThrow(error);
        expect(await text(store, 'kept')).toBe('before');
        await expect(store.sweep(IN_A_MINUTE())).resolves.toBe(0);
      });

      it('leaves no parts when its stream breaks', async () => {
        const broken = Readable.from((function* () {
          yield bytes;
          throw new Error('the line is dead');
        })());
        await expect(store.put('broken', broken)).rejects.toThrow('the line is dead');
        await expect(store.stat('broken')).resolves.toBeUndefined();
        await expect(store.sweep(IN_A_MINUTE())).resolves.toBe(0);
      });

      it('is swept when a crash has cut it off, and not while it may still go on', async () => {
        const { said, child } = await startS3Process(options, 'hang');
        expect(said).toEqual({ sent: 16 });
        await killProcess(child);
        await expect(store.stat('hung')).resolves.toBeUndefined();
        await expect(store.sweep(A_MINUTE_AGO())).resolves.toBe(0);
        await expect(store.sweep(IN_A_MINUTE())).resolves.toBe(1);
        await expect(store.sweep(IN_A_MINUTE())).resolves.toBe(0);
      });

      it('is not swept while its parts keep coming, however long ago it was begun', async () => {
        const later = (than: Date) => eventually(async () => expect((await lastPartAt())?.getTime()).toBeGreaterThan(than.getTime()));
        const goingOn = Readable.from((async function* () {
          yield bytes;
          await later(new Date(0));
          // Stores tell times in whole seconds.
          const between = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 1_000);
          await eventually(() => expect(Date.now()).toBeGreaterThan(between.getTime() + 1_000));
          yield bytes;
          await later(between);
          expect(await store.sweep(between)).toBe(0);
        })());
        await expect(store.put('going-on', goingOn)).resolves.toMatchObject({ size: 2 * bytes.length });
        await store.delete('going-on');
      });

      it('that was swept while it went on is told as passing, and leaves nothing', async () => {
        const swept = Readable.from((async function* () {
          yield bytes;
          await eventually(async () => expect(await lastPartAt()).toBeDefined());
          expect(await store.sweep(IN_A_MINUTE())).toBe(1);
          yield bytes;
        })());
        await expect(store.put('swept', swept)).rejects.toEqual(unavailable);
        await expect(store.stat('swept')).resolves.toBeUndefined();
        await expect(store.sweep(IN_A_MINUTE())).resolves.toBe(0);
      });
    });

    it('leaves alone what is not its own in the bucket', async () => {
      const strangers = new S3Client(options);
      await strangers.call((driver, bucket) => driver.putObject(bucket, 'Somebody else.txt', 'x'));
      const uploadId = await strangers.call((driver, bucket) => driver.initiateNewMultipartUpload(bucket, 'somebody/else', {}));
      expect(await keysOf(store)).not.toContain('Somebody else.txt');
      await expect(store.sweep(IN_A_MINUTE())).resolves.toBe(0);
      await strangers.abortUpload('somebody/else', uploadId);
    });

    it('lists more objects than a page holds', async () => {
      const keys = Array.from({ length: 1_005 }, (_, index) => `paged/${String(index).padStart(4, '0')}`);
      for (let at = 0; at < keys.length; at += 50) await Promise.all(keys.slice(at, at + 50).map((key) => store.put(key, Readable.from([Buffer.from(key)]))));
      await expect(keysOf(store, 'paged/')).resolves.toEqual(keys);
    });

    it('is given its bucket by whoever comes first of ten replicas', async () => {
      const shared = s3Options(engineSettings(engine));
      const replicas = Array.from({ length: 10 }, () => new S3ObjectStore(shared));
      await Promise.all(replicas.map(checked));
      await replicas[0]?.put('shared', Readable.from([Buffer.from('x')]));
      expect(await text(replicas[9] as S3ObjectStore, 'shared')).toBe('x');
    });

    it('is not ready without its server, says so at once, and is ready when the server comes', async () => {
      const line = await new Line(new URL(options.endpoint)).open();
      const late = new S3ObjectStore(s3Options(engineSettings(engine), { endpoint: line.address }));
      await line.close();
      const asked = [late.check(), late.put('a', Readable.from([Buffer.from('x')])), late.get('a'), late.stat('a'), late.delete('a'), keysOf(late), late.sweep(new Date())];
      for (const answer of await Promise.allSettled(asked)) expect(answer).toEqual({ status: 'rejected', reason: unavailable });
      await line.open();
      await checked(late);
      await expect(late.put('a', Readable.from([Buffer.from('x')]))).resolves.toMatchObject({ size: 1 });
      await line.close();
    });

    it('gives back the connection of a stream that is left early', async () => {
      const line = await new Line(new URL(options.endpoint)).open();
      const near = new S3ObjectStore({ ...options, endpoint: line.address });
      await near.put('left', Readable.from([randomBytes(8 * MEBIBYTE)]));
      const streams = await Promise.all(Array.from({ length: 10 }, () => near.get('left')));
      await eventually(() => expect(line.connections).toBeGreaterThanOrEqual(10));
      for (const stream of streams) stream.destroy();
      // One may be kept for the next request.
      await eventually(() => expect(line.connections).toBeLessThanOrEqual(1));
      await line.close();
    });

    it('signs addresses for the host by which callers reach it', async () => {
      const line = await new Line(new URL(options.endpoint)).open();
      const outside = new S3ObjectStore({ ...options, publicEndpoint: line.address });
      await outside.put('public', Readable.from([Buffer.from('x')]));
      const address = await outside.presignedGet('public', { contentType: 'text/plain', contentDisposition: 'inline' }, 60);
      expect(address.origin).toBe(line.address);
      expect((await fetch(address)).status).toBe(200);
      expect((await fetch(new URL(address.pathname + address.search, options.endpoint))).status).toBe(403);
      await line.close();
    });
  });
}
