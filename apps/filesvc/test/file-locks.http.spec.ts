import { randomUUID } from 'node:crypto';
import { eventually } from '@twinyard/testing';
import type { Test } from 'supertest';
import { FILES, type FileBody, FilesvcUnderTest, NS } from './filesvc-under-test';
import { brokenInvariants } from './tree-invariants';

/** What another request does in between is done here on the test's own connection, at the one moment that matters. */
describe('what changes between the question and the lock', () => {
  let filesvc: FilesvcUnderTest;
  let here: FileBody;
  let there: FileBody;
  beforeAll(async () => {
    filesvc = await FilesvcUnderTest.start();
    [here, there] = [await filesvc.makeFolder('here'), await filesvc.makeFolder('there')];
    await filesvc.passport.grant('local', NS, ['READ']);
    await filesvc.passport.grant('local', NS, ['EDIT', 'DELETE', 'CREATE'], `filesvc:file:${here._id}`);
    await filesvc.signIn('local');
  });
  afterAll(() => filesvc?.stop());
  afterEach(async () => {
    // Of a test that failed half way; else it does nothing.
    await filesvc.query('ROLLBACK');
    expect(await brokenInvariants(filesvc)).toEqual({});
  });

  /** Of this database: the specs of another worker wait for locks on the same server. */
  const WAITING = 'FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE datname = current_database() AND NOT granted';
  const waiting = async (type: 'advisory' | 'transactionid' | 'tuple') => (await filesvc.query(`SELECT ${WAITING} AND locktype = $1`, [type])).length;
  const lockRow = async ({ _id }: FileBody) => { await filesvc.query('BEGIN'); await filesvc.query('SELECT FROM file WHERE id = $1 FOR UPDATE', [_id]); };
  /** As a request would. */
  const moveTo = async ({ _id }: FileBody, parentId: string | null) => {
    await filesvc.query('UPDATE file SET parent_id = $2 WHERE id = $1', [_id, parentId]);
    await filesvc.query('DELETE FROM file_tree WHERE descendant_id = $1 AND depth > 0', [_id]);
    await filesvc.query('INSERT INTO file_tree SELECT above.ancestor_id, own.descendant_id, above.depth + 1, own.position FROM file_tree above, file_tree own WHERE own.descendant_id = $1 AND above.descendant_id = $2', [_id, parentId]);
    await filesvc.query('UPDATE file_name_slot SET place = $2 WHERE file_id = $1', [_id, parentId ?? `root of ${NS}`]);
  };
  const begun = (request: Test) => request.then((answer) => answer);
  const exists = async ({ _id }: FileBody) => (await filesvc.as('owner', 'get', `${FILES}/${_id}`)).status === 200;

  it.each([
    ['delete it', (file: FileBody) => filesvc.as('local', 'delete', `${FILES}/${file._id}`)],
    ['delete it with others', (file: FileBody) => filesvc.as('local', 'delete', FILES).send([file._id])],
    ['delete its version', (file: FileBody) => filesvc.as('local', 'delete', `${FILES}/${file._id}/versions/${file._tipId}`)],
    ['rename it', (file: FileBody) => filesvc.as('local', 'put', `${FILES}/${file._id}`).send({ _name: 'renamed' })],
  ])('is what counts: a file that is moved to where the caller may not %s stays as it is', async (what, send) => {
    const file = await filesvc.upload(what, 'x', { _parents: here._id });
    await lockRow(file);
    const answer = begun(send(file));
    await eventually(async () => expect(await waiting('transactionid')).toBe(1));
    await moveTo(file, there._id);
    await filesvc.query('COMMIT');
    expect((await answer).status).toBe(403);
    expect(await filesvc.list({ _parents: there._id, _name: `^${what}$` })).toMatchObject({ _total: 1 });
  });

  it('makes a move of what was none: then nothing else moves, or is put there, at the same time', async () => {
    const file = await filesvc.makeFolder('sent back', { _parents: here._id });
    await lockRow(file);
    const answer = begun(filesvc.as('owner', 'put', `${FILES}/${file._id}`).send(file));
    await eventually(async () => expect(await waiting('transactionid')).toBe(1));
    await moveTo(file, there._id);
    // As an upload that goes on meanwhile: it is waited for.
    await filesvc.query('SELECT pg_advisory_lock_shared(hashtextextended($1, 0))', [`tree of ${NS}`]);
    await filesvc.query('COMMIT');
    await eventually(async () => expect(await waiting('advisory')).toBe(1));
    await filesvc.query('SELECT pg_advisory_unlock_shared(hashtextextended($1, 0))', [`tree of ${NS}`]);
    expect((await answer).body).toMatchObject({ _parents: [here._id] });
  });

  it('waits: a file that goes with its only version is not taken out of a folder that is just being moved', async () => {
    const file = await filesvc.upload('last version', 'x', { _parents: here._id });
    await filesvc.query('BEGIN');
    await filesvc.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`tree of ${NS}`]);
    const answer = begun(filesvc.as('owner', 'delete', `${FILES}/${file._id}/versions/${file._tipId}`));
    await eventually(async () => expect(await waiting('advisory')).toBe(1));
    expect(await exists(file)).toBe(true);
    await filesvc.query('COMMIT');
    expect((await answer).status).toBe(204);
    expect(await exists(file)).toBe(false);
  });

  it('waits: a file that goes with the last upload to it that has expired is not swept out of a folder that is just being moved', async () => {
    const meta = { _size: 5, _checksum: 'a'.repeat(64) };
    const begin = filesvc.as('owner', 'post', FILES, { uploadType: 'resumable' }).send({ _name: 'never came', _namespaces: [NS], _parents: [here._id], _uploadMeta: meta });
    const file = (await begin.expect(200)).body as FileBody;
    await filesvc.query('BEGIN');
    await filesvc.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`tree of ${NS}`]);
    const swept = filesvc.sweep(new Date(Date.now() + 86_500_000));
    await eventually(async () => expect(await waiting('advisory')).toBe(1));
    expect(await exists(file)).toBe(true);
    await filesvc.query('COMMIT');
    expect(await swept).toBeGreaterThanOrEqual(1);
    expect(await exists(file)).toBe(false);
  });

  it('counts levels: a hundred, whether something is made there or comes there with all that is below it', async () => {
    const deepest = await makeChain(await filesvc.makeFolder('chain'), 98);
    const carried = await filesvc.makeFolder('carried');
    const inner = await filesvc.makeFolder('inner', { _parents: carried._id });
    const make = (_name: string, parentId: string) => filesvc.as('owner', 'post', FILES, { _name, _namespaces: NS, _parents: parentId });
    const last = ((await make('the hundredth', deepest).expect(200)).body as FileBody)._id;
    expect((await make('too deep', last).expect(400)).body.code).toBe('limit_exceeded');
    await filesvc.as('owner', 'post', FILES, { _namespaces: NS, _parents: last }).attach('file', Buffer.from('x'), 'too deep').expect(400);
    const move = (file: FileBody) => filesvc.as('owner', 'put', `${FILES}/${file._id}`).send({ _name: file._name, _parents: [deepest] });
    expect((await move(carried).expect(400)).body.code).toBe('limit_exceeded');
    await move(inner).expect(200);
    await move(carried).expect(200);
  });

  /** Folders below one another, as requests would make them; the lowest. */
  async function makeChain(top: FileBody, levels: number): Promise<string> {
    const ids = Array.from({ length: levels }, () => randomUUID());
    for (const [index, id] of ids.entries()) {
      const parentId = ids[index - 1] ?? top._id;
      await filesvc.query(`INSERT INTO file (id, name, type, namespaces, parent_id, tags, status, next_version, revision, created_at, updated_at, created_by_id, updated_by_id)
        SELECT $1, $2, type, namespaces, $3, tags, status, 1, 1, created_at, updated_at, created_by_id, updated_by_id FROM file WHERE id = $4`, [id, `level ${index}`, parentId, top._id]);
      await filesvc.query('INSERT INTO file_tree SELECT above.ancestor_id, id, above.depth + 1, file.position FROM file_tree above, file WHERE above.descendant_id = $2 AND id = $1 UNION ALL SELECT id, id, 0, position FROM file WHERE id = $1', [id, parentId]);
      await filesvc.query('INSERT INTO file_name_slot VALUES ($1, $2, $3)', [parentId, `level ${index}`, id]);
    }
    return ids.at(-1) ?? top._id;
  }

  it('is all or nothing: a deletion whose process loses the database half way has deleted nothing, and says that it may be tried again', async () => {
    const folder = await filesvc.makeFolder('half way', { _parents: here._id });
    const inner = await Promise.all([1, 2, 3, 4].map((index) => filesvc.upload(`inner ${index}`, 'x', { _parents: folder._id })));
    const beside = await filesvc.upload('beside', 'x', { _parents: here._id });
    const last = inner.map(({ _id }) => _id).sort().at(-1);
    await filesvc.query('BEGIN');
    await filesvc.query('SELECT FROM file WHERE id = $1 FOR UPDATE', [last]);
    const answer = begun(filesvc.as('owner', 'delete', FILES).send([folder._id, inner[0]?._id, beside._id]));
    await eventually(async () => expect(await waiting('transactionid')).toBe(1));
    await filesvc.query(`SELECT pg_terminate_backend(pid) ${WAITING}`);
    expect((await answer).status).toBe(503);
    await filesvc.query('COMMIT');
    for (const file of [folder, beside, ...inner]) expect(await exists(file)).toBe(true);
    await filesvc.as('owner', 'delete', FILES).send([folder._id, inner[0]?._id, beside._id]).expect(204);
    expect(await filesvc.list({ _parents: folder._id })).toMatchObject({ _total: 0 });
  });
});
