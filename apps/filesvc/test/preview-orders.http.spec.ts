import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Outbox } from '@twinyard/events';
import { JobNotices } from '@twinyard/jobs';
import type { DrawingProcess } from '@twinyard/previews';
import { eventually } from '@twinyard/testing';
import { LeftOverPreviews } from '../src/previews/left-over-previews';
import { PreviewWorker } from '../src/previews/preview-worker';
import { PreviewsRepository } from '../src/previews/previews.repository';
import { type FileBody, FILES, FilesvcUnderTest, NS } from './filesvc-under-test';
import { PreviewedFiles } from './previewed-files';

describe('orders of previews', () => {
  let filesvc: FilesvcUnderTest;
  let previews: PreviewedFiles;
  const start = async (settings: Parameters<typeof FilesvcUnderTest.start>[0]) => {
    filesvc = await FilesvcUnderTest.start(settings);
    previews = new PreviewedFiles(filesvc);
  };
  afterEach(() => filesvc?.stop());

  it('versions of one upload are ordered with it, in their order, and the replicas told once; an upload that fails orders nothing', async () => {
    await start({ PREVIEW_PROCESSES: 0 });
    const told = jest.spyOn(filesvc.app.get(JobNotices, { strict: false }), 'enqueued');
    const post = () => filesvc.as('owner', 'post', FILES, { _namespaces: NS }).attach('file', Buffer.from('2'), 'second.txt').attach('file', Buffer.from('1'), 'first.txt');
    const files = (await post().expect(201)).body as FileBody[];
    const tips = files.toSorted((one, other) => one._name.localeCompare(other._name)).map(({ _tipId }) => _tipId);
    expect([await previews.ordered(), told.mock.calls.filter(([kind]) => kind === 'filesvc.preview').length]).toEqual([tips, 1]);
    jest.spyOn(filesvc.app.get(Outbox, { strict: false }), 'append').mockRejectedValueOnce(new Error('the database is lost'));
    await post().expect(500);
    expect(await previews.ordered()).toEqual(tips);
    await post().expect(201);
    expect(await previews.ordered()).toHaveLength(4);
    jest.restoreAllMocks();
  });

  it('what a replica of the release before has ordered, or given up, is taken over: what is due and in nobody\'s hands, each once', async () => {
    await start({ PREVIEW_PROCESSES: 0 });
    const files = [];
    for (const name of ['first', 'second', 'drawn', 'broken', 'empty', 'in hand']) files.push(await filesvc.upload(`${name}.txt`, name));
    const [first, second, drawn, broken, empty, inHand] = files.map(({ _tipId }) => _tipId);
    await filesvc.query(`DELETE FROM job WHERE kind = 'filesvc.preview'`);
    const order = (version: string | undefined, state: string, due: string, failure: string | null = null) =>
      filesvc.query(`INSERT INTO preview_task (version_id, state, failure, attempts, due_at, user_id, request_id) VALUES ($1, $2, $3, 0, now() + $4::interval, 'owner', 'one')`, [version, state, failure, due]);
    await order(second, 'PENDING', '-1 s');
    await order(first, 'PENDING', '-2 s');
    await order(drawn, 'DONE', '0 s');
    await order(broken, 'FAILED', '0 s', 'is broken');
    await order(empty, 'NONE', '1 h');
    await order(inHand, 'PENDING', '20 s');
    for (let times = 0; times < 2; times += 1) await filesvc.app.get(LeftOverPreviews).adopt();
    expect(await previews.ordered()).toEqual([first, second]);
    expect(await filesvc.query('SELECT version_id FROM preview_task')).toEqual([{ version_id: inHand }]);
    const ends = await Promise.all(files.map((file) => previews.task(file)));
    expect(ends.map((end) => end?.state)).toEqual(['PENDING', 'PENDING', 'PENDING', 'FAILED', 'NONE', 'PENDING']);
  });

  it('what failed is ordered anew by the operator, all of it or some, and what there are no pictures of is not', async () => {
    await start({ PREVIEW_PROCESSES: 1 });
    const [broken, other] = [await filesvc.upload('broken.pdf', '%PDF-1.7 and nothing'), await filesvc.upload('other.pdf', '%PDF-1.7 and nothing')];
    const zip = await filesvc.upload('a.zip', Buffer.from('PK\x03\x04\x00\x00\x00\x00\x00', 'latin1'));
    for (const file of [broken, other, zip]) await previews.ended(file);
    const repository = filesvc.app.get(PreviewsRepository);
    const failed = (ids?: readonly string[]) => repository.failed('00000000-0000-0000-0000-000000000000', 10, ids).then((list) => list.map(({ id }) => id).sort());
    expect([await failed(), await failed([other._tipId, zip._tipId])]).toEqual([[broken._tipId, other._tipId].sort(), [other._tipId]]);
    const draw = jest.spyOn(filesvc.app.get(PreviewWorker).processes[0] as DrawingProcess, 'draw').mockImplementation(async ({ output }) => {
      writeFileSync(output, 'a picture');
      return { contentType: 'image/png', size: 9 };
    });
    const ordered = runProgram('redraw', filesvc.environment({}), other._tipId);
    expect(ordered).toBe('{"ordered":1}\n');
    await eventually(async () => expect(await previews.task(other)).toEqual({ state: 'DONE', failure: null }));
    expect([await previews.task(broken), draw.mock.calls.length]).toEqual([{ state: 'FAILED', failure: 'is broken' }, 1]);
    jest.restoreAllMocks();
  });

  it('what a scan holds before it is drawn is drawn when it is let go', async () => {
    await start({ PREVIEW_PROCESSES: 0 });
    const file = await filesvc.upload('held.txt', 'held');
    await filesvc.query(`UPDATE file_version SET quarantined_for = 'a virus' WHERE id = $1`, [file._tipId]);
    await filesvc.replica({ PREVIEW_PROCESSES: 1 });
    await eventually(async () => expect(await previews.ordered()).toEqual([]));
    expect(await previews.task(file)).toEqual({ state: 'PENDING', failure: null });
    expect(runProgram('quarantine', filesvc.environment({}), 'release', file._tipId, '--by', 'me', '--reason', 'a test')).toContain(file._tipId);
    expect((await previews.picture(file)).status).toBe(200);
  });
});

/** A command of the service's operator, as it is built; what it printed. */
function runProgram(name: string, environment: Record<string, string>, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(__dirname, '../../../dist/apps/filesvc/src', `${name}.js`), ...args], { env: environment, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}
