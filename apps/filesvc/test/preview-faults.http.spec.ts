import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { ObjectStore } from '@twinyard/blobs';
import { Outbox, resourceDeleted } from '@twinyard/events';
import type { DrawingProcess } from '@twinyard/previews';
import { UnitOfWork } from '@twinyard/service-kit';
import { eventually } from '@twinyard/testing';
import { hugeJpeg, pdf, photograph, pngOf, slowSvg } from '@twinyard/testing/drawable-files';
import { DataSource } from 'typeorm';
import { BlobReferencesRepository } from '../src/blob-check/blob-references.repository';
import { scrubBlobs } from '../src/blob-check/scrub-blobs';
import { PreviewWorker } from '../src/previews/preview-worker';
import { type FileBody, FILES, FilesvcUnderTest, NS } from './filesvc-under-test';
import { PreviewedFiles } from './previewed-files';

const append = (filesvc: FilesvcUnderTest, ...events: Parameters<Outbox['append']>[1][]) =>
  filesvc.app.get(UnitOfWork, { strict: false }).run((tx) => filesvc.app.get(Outbox, { strict: false }).append(tx, ...events));
/** What a replica draws with. */
const drawerOf = (filesvc: FilesvcUnderTest) => filesvc.app.get(PreviewWorker).processes[0] as DrawingProcess;

describe('previews and what can go wrong', () => {
  let filesvc: FilesvcUnderTest;
  let previews: PreviewedFiles;
  const start = async (settings: Parameters<typeof FilesvcUnderTest.start>[0]) => {
    filesvc = await FilesvcUnderTest.start(settings);
    previews = new PreviewedFiles(filesvc);
  };
  afterEach(() => filesvc?.stop());

  it('a bomb or a broken file is marked, and costs neither the service nor the next picture', async () => {
    await start({ PREVIEW_PROCESSES: 1, PREVIEW_MAX_INPUT_BYTES: 1024 ** 2 });
    const whole = await photograph(400, 300);
    const draw = jest.spyOn(drawerOf(filesvc), 'draw');
    const failures = [
      ['cut.jpg', whole.subarray(0, 2_000), 'is broken'], ['bomb.png', pngOf(100_000, 100_000), 'is too large'], ['bomb.jpg', hugeJpeg(whole), 'is too large'],
      ['broken.pdf', '%PDF-1.7 and nothing', 'is broken'], ['large.pdf', Buffer.concat([pdf(''), Buffer.alloc(1024 ** 2)]), 'is too large'],
    ] as const;
    const files = [];
    for (const [name, content] of failures) files.push(await filesvc.upload(name, content));
    const zipBomb = await filesvc.as('owner', 'post', FILES, { _namespaces: NS }).set('content-encoding', 'gzip').attach('file', gzipSync(Buffer.concat([pdf(''), Buffer.alloc(64 * 1024 ** 2)])), 'zip.pdf').expect(201);
    files.push((zipBomb.body as [FileBody])[0]);
    const after = await filesvc.upload('after.jpg', whole);
    const line = await filesvc.upload('one line.txt', Buffer.alloc(20_000_000, 'a'));
    const ends = [];
    for (const file of files) ends.push(await previews.ended(file));
    expect(ends).toEqual([...failures.map(([, , failure]) => failure), 'is too large'].map((failure) => ({ state: 'FAILED', failure })));
    expect(draw.mock.calls.length).toBeLessThanOrEqual(files.length + 2); // each once
    for (const file of files) await filesvc.as('owner', 'get', `${FILES}/${file._id}/previewurl`).expect(404);
    for (const file of [after, line]) expect((await previews.picture(file)).status).toBe(200);
    expect(await filesvc.query('SELECT 1 FROM loose_blob')).toEqual([]);
  });

  it('what takes too long is tried once more, for the machine may be busy, and then the next is drawn', async () => {
    await start({ PREVIEW_PROCESSES: 1, PREVIEW_TIMEOUT_SECONDS: 2 });
    const draw = jest.spyOn(drawerOf(filesvc), 'draw');
    const slow = await filesvc.upload('slow.svg', slowSvg());
    const next = await filesvc.upload('next.txt', 'next');
    expect(await previews.ended(slow)).toEqual({ state: 'FAILED', failure: 'takes too long' });
    expect(draw.mock.calls.filter(([{ kind }]) => kind === 'svg')).toHaveLength(2);
    // Two seconds are little on a busy machine, and the next may be one of those that take too long: then it is the one after it.
    let drawn = await previews.ended(next);
    for (let n = 0; n < 10 && drawn.failure === 'takes too long'; n += 1) drawn = await previews.ended(await filesvc.upload(`next ${n}.txt`, 'next'));
    expect(drawn).toMatchObject({ state: 'DONE', failure: null });
  });

  it('a model of garbage is marked too', async () => {
    await start({ PREVIEW_PROCESSES: 1 });
    const model = `ISO-10303-21;\nHEADER;\nFILE_SCHEMA(('IFC2X3'));\nENDSEC;\nDATA;\n#1=IFCWALL(((((`;
    const cut = await filesvc.upload('garbage.ifc', `${model}\n#2=IFCWALL(#2,#2\n`);
    // The parser would look for an end of these brackets until its time is up.
    const endless = await filesvc.upload('endless.ifc', `${model}${'('.repeat(100_000)}\nENDSEC;\nEND-ISO-10303-21;\n`);
    const next = await filesvc.upload('next.txt', 'next');
    for (const file of [cut, endless]) expect(await previews.ended(file)).toEqual({ state: 'FAILED', failure: 'is broken' });
    expect((await previews.picture(next)).status).toBe(200);
  });

  it('a process that is killed in the middle is replaced, and the picture made after all', async () => {
    await start({ PREVIEW_PROCESSES: 1 });
    const drawer = drawerOf(filesvc);
    const draw = drawer.draw.bind(drawer);
    const endless = join(filesvc.folder, 'endless.svg');
    writeFileSync(endless, slowSvg());
    // In its place what takes minutes: however late the kill comes, the first picture is not done.
    const drawings = jest.spyOn(drawer, 'draw').mockImplementationOnce((drawing) => draw({ ...drawing, input: endless }));
    const file = await filesvc.upload('short.svg', slowSvg(1));
    const pid = await eventually(async () => {
      expect([drawings.mock.calls.length, isDrawing(drawer.pid)]).toEqual([1, true]);
      return drawer.pid ?? 0;
    });
    process.kill(pid, 'SIGKILL');
    expect(await previews.ended(file)).toEqual({ state: 'DONE', failure: null });
    expect([drawings.mock.calls.length, (await previews.picture(file)).status]).toEqual([2, 200]);
  });

  it('a store that does not answer is asked again', async () => {
    await start({ PREVIEW_PROCESSES: 1 });
    const get = jest.spyOn(filesvc.app.get(ObjectStore), 'get').mockRejectedValueOnce(new Error('the store is away'));
    expect(await previews.ended(await filesvc.upload('later.txt', 'later'))).toEqual({ state: 'DONE', failure: null });
    expect(get.mock.calls.length).toBeGreaterThan(1);
    jest.restoreAllMocks();
  });

  it('a version is drawn once, by one of several replicas', async () => {
    await start({ PREVIEW_PROCESSES: 1 });
    const draw = [filesvc, await filesvc.replica()].map((replica) => jest.spyOn(drawerOf(replica), 'draw'));
    const files = [];
    for (let n = 0; n < 12; n += 1) files.push(await filesvc.upload(`${n}.svg`, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle r="${n + 1}"/></svg>`));
    for (const file of files) expect(await previews.ended(file)).toEqual({ state: 'DONE', failure: null });
    expect([draw.reduce((sum, { mock }) => sum + mock.calls.length, 0), (await filesvc.query('SELECT 1 FROM preview')).length]).toEqual([12, 12]);
    expect(await previews.blobs()).toHaveLength(12);
  });

  describe('with a process that stops where the test says', () => {
    /** Does `between` when the next picture is drawn and not yet kept. */
    const beforeKept = (between: () => Promise<unknown>): void => {
      const drawer = drawerOf(filesvc);
      const draw = drawer.draw.bind(drawer);
      jest.spyOn(drawer, 'draw').mockImplementationOnce(async (drawing) => {
        const drawn = await draw(drawing);
        await between();
        return drawn;
      });
    };
    afterEach(() => void jest.restoreAllMocks());
    const allEnded = () => eventually(async () => expect(await previews.ordered()).toEqual([]), { timeoutMs: 170_000 });

    it('a version that is deleted while it is drawn leaves nothing', async () => {
      await start({ PREVIEW_PROCESSES: 1 });
      beforeKept(async () => {
        const { _list: [file] } = await filesvc.list();
        await filesvc.as('owner', 'delete', `${FILES}/${file?._id}`).expect(204);
      });
      await filesvc.upload('gone.txt', 'gone');
      await allEnded();
      // What is let go of is forgotten when it has gone from the store.
      await eventually(async () => expect([await filesvc.blobs(), await filesvc.query('SELECT 1 FROM preview'), await filesvc.query('SELECT 1 FROM loose_blob')]).toEqual([[], [], []]));
    });

    it('a picture that another replica has made meanwhile is the only one', async () => {
      await start({ PREVIEW_PROCESSES: 1 });
      beforeKept(async () => {
        await previews.takeAway();
        await filesvc.replica();
        await eventually(async () => expect(await filesvc.query('SELECT 1 FROM preview')).toHaveLength(1), { timeoutMs: 170_000 });
      });
      expect(await previews.ended(await filesvc.upload('slow replica.txt', 'slow'))).toMatchObject({ state: 'DONE' });
      await allEnded();
      await eventually(async () => expect([(await previews.blobs()).length, await filesvc.query('SELECT 1 FROM loose_blob')]).toEqual([1, []]));
    });

    it('a service that dies between the store and the record leaves what the sweep knows, and another makes the picture', async () => {
      await start({ PREVIEW_PROCESSES: 1 });
      const store = filesvc.app.get(ObjectStore);
      const put = store.put.bind(store);
      let forget = (): void => undefined;
      const begunAt = Date.now();
      const file = filesvc.upload('died.txt', 'died');
      const stored = new Promise<void>((resolve) => {
        jest.spyOn(store, 'put').mockImplementation(async (...args) => {
          const kept = await put(...args);
          if (!args[0].startsWith('previews/')) return kept;
          resolve();
          // It is heard of no more, until the test is over.
          return new Promise((_resolve, reject) => { forget = () => reject(new Error('dead')); });
        });
      });
      await stored;
      const storedAt = Date.now();
      expect(await previews.task(await file)).toMatchObject({ state: 'PENDING' });
      await previews.takeAway();
      await filesvc.replica();
      expect((await previews.picture(await file)).status).toBe(200);
      expect(await previews.blobs()).toHaveLength(2);
      // A minute from then on, however long the other took; not as long as an upload may take: what it shows may have been deleted meanwhile.
      expect(await filesvc.sweep(new Date(begunAt + 59_000))).toBe(0);
      expect(await filesvc.sweep(new Date(storedAt + 61_000))).toBe(1);
      expect(await previews.blobs()).toHaveLength(1);
      forget();
      expect((await previews.picture(await file)).status).toBe(200);
    });

    it('a picture that the sweep took for abandoned while it was stored leaves nothing, and is made again', async () => {
      await start({ PREVIEW_PROCESSES: 1 });
      beforeKept(() => Promise.resolve(filesvc.sweepWhileStoring('put')));
      const file = await filesvc.upload('slow store.txt', 'slow');
      expect((await previews.picture(file)).status).toBe(200);
      expect(await previews.blobs()).toHaveLength(1);
    });
  });

  it('without a process nothing is drawn, until a replica has one', async () => {
    await start({ PREVIEW_PROCESSES: 0 });
    const file = await filesvc.upload('waits.txt', 'waits');
    await eventually(async () => expect(await previews.task(file)).toEqual({ state: 'PENDING', failure: null }));
    await filesvc.as('owner', 'get', `${FILES}/${file._id}/previewurl`).expect(404);
    await filesvc.replica({ PREVIEW_PROCESSES: 1 });
    expect(await previews.ended(file)).toMatchObject({ state: 'DONE' });
  });

  it('what a scan holds is neither drawn nor shown, until it is let go', async () => {
    await start({ PREVIEW_PROCESSES: 1 });
    const shown = await filesvc.upload('shown.txt', 'shown');
    await previews.picture(shown);
    const address = await previews.address(shown);
    await filesvc.query(`UPDATE file_version SET quarantined_for = 'a virus' WHERE id = $1`, [shown._tipId]);
    await filesvc.as('owner', 'get', `${FILES}/${shown._id}/previewurl`).expect(403);
    expect((await filesvc.as('owner', 'get', `${FILES}/${shown._id}`).expect(200)).body).toMatchObject({ _previews: [] });
    expect((await previews.download(address)).status).toBe(404);
    await filesvc.query(`UPDATE file_version SET quarantined_for = NULL WHERE id = $1`, [shown._tipId]);
    expect((await previews.download(address)).status).toBe(200);
  });

  it('pictures go with a purged namespace, and are known to the comparison of store and database', async () => {
    await start({ PREVIEW_PROCESSES: 1 });
    for (const name of ['a.txt', 'b.txt']) await previews.ended(await filesvc.upload(name, name));
    const check = async () => {
      const lines: object[] = [];
      const findings = await scrubBlobs(new BlobReferencesRepository(filesvc.app.get(DataSource)), filesvc.app.get(ObjectStore), { report: (line) => lines.push(line) });
      return { ...findings, lines };
    };
    expect(await check()).toMatchObject({ blobs: 4, missing: 0, orphaned: 0 });
    const store = filesvc.app.get(ObjectStore);
    const [lost = ''] = await previews.blobs();
    await store.put('previews/nobody', Readable.from(['z']));
    await store.delete(lost);
    expect(await check()).toMatchObject({ missing: 1, orphaned: 1, lines: expect.arrayContaining([expect.objectContaining({ missing: lost }), { orphaned: 'previews/nobody' }]) as unknown });
    await store.delete('previews/nobody');
    await append(filesvc, resourceDeleted('passportsvc.Workspace', { _id: 'one', _irn: 'passportsvc:workspace:one', _namespaces: [NS], _purge: true }, { userId: 'owner', requestId: 'the request' }));
    await eventually(async () => expect(await filesvc.query('SELECT 1 FROM namespace_purge WHERE finished_at IS NOT NULL')).toHaveLength(1));
    await eventually(async () => expect(await filesvc.blobs()).toEqual([]));
    expect([await filesvc.query('SELECT 1 FROM preview'), await previews.ordered()]).toEqual([[], []]);
  });
});

/** It has loaded what it draws with, and is busy. */
const isDrawing = (pid: number | undefined): boolean => {
  if (pid === undefined) return false;
  const [, ticks = '0'] = /\) \S(?: \S+){10} (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
  return Number(ticks) > 20;
};
