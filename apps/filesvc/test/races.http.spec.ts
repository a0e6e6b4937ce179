import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { PartialObject } from '@twinyard/blobs';
import { FILES, type FileBody, FilesvcUnderTest, NS } from './filesvc-under-test';
import { changeAtOnce, Choice, faultsOf, type Outcome, randomFrom } from './random-changes';
import { brokenInvariants } from './tree-invariants';

const TWENTY = Array.from({ length: 20 }, (_, index) => index);
/** More rounds are asked for by a number; a seed repeats what was found. */
const ROUNDS = Number(process.env['RACE_ROUNDS'] ?? 6);
const SEED = Number(process.env['RACE_SEED'] ?? Math.floor(Math.random() * 2 ** 32));
const counted = (statuses: readonly number[]) => Object.fromEntries([...new Set(statuses)].sort().map((status) => [status, statuses.filter((one) => one === status).length]));
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

describe('two replicas of the service on one database and store', () => {
  let one: FilesvcUnderTest;
  let other: FilesvcUnderTest;
  beforeAll(async () => {
    one = await FilesvcUnderTest.start();
    other = await one.replica();
  });
  afterAll(() => one?.stop());
  afterEach(async () => expect(await brokenInvariants(one)).toEqual({}));

  const either = (index: number) => (index % 2 === 0 ? one : other);
  const get = async (id: string, from = one) => (await from.as('owner', 'get', `${FILES}/${id}`).expect(200)).body as FileBody;
  const put = (from: FilesvcUnderTest, id: string, body: object) => from.as('owner', 'put', `${FILES}/${id}`).send(body);
  const remove = (from: FilesvcUnderTest, id: string) => from.as('owner', 'delete', `${FILES}/${id}`);
  const begin = async (from: FilesvcUnderTest, name: string, bytes: Buffer, parentId: string) =>
    (await from.as('owner', 'post', FILES, { uploadType: 'resumable' }).send({ _name: name, _namespaces: [NS], _parents: [parentId], _uploadMeta: { _size: bytes.length, _checksum: sha256(bytes) } }).expect(200)).body as FileBody;
  const head = (from: FilesvcUnderTest, file: FileBody, all: Buffer) =>
    fetch(`${from.url}${FILES}/${file._id}?uploadType=resumable&checksum=${sha256(all)}&nsfilter=${NS}`, { method: 'HEAD', headers: { authorization: `Bearer ${one.tokenOf('owner')}` } });
  const patch = (from: FilesvcUnderTest, file: FileBody, all: Buffer, offset: number, piece: Buffer) => fetch(`${from.url}${FILES}/${file._id}?uploadType=resumable&checksum=${sha256(all)}&nsfilter=${NS}`, {
    method: 'PATCH', body: piece, headers: { authorization: `Bearer ${one.tokenOf('owner')}`, 'content-type': 'application/offset+octet-stream', 'upload-offset': String(offset) },
  });

  it('make twenty versions and one file of twenty uploads of one name at once', async () => {
    const folder = await one.makeFolder('raced');
    const made = await Promise.all(TWENTY.map((index) => either(index).upload('raced.txt', `content ${index}`, { _parents: folder._id })));
    expect(new Set(made.map(({ _id }) => _id)).size).toBe(1);
    expect(made.map(({ _tipVersion }) => _tipVersion as number).sort((a, b) => a - b)).toEqual(TWENTY.map((index) => index + 1));
    for (const from of [one, other]) {
      expect(await get(made[0]?._id ?? '', from)).toMatchObject({ _tipVersion: 20, _nextVersion: 21 });
      expect((await from.list({ _parents: folder._id }))._total).toBe(1);
    }
  });

  it('make twenty versions and one file of twenty uploads in pieces of one name that begin, go on and end at once', async () => {
    const folder = await one.makeFolder('raced in pieces');
    const contents = TWENTY.map((index) => randomBytes(2_000 + index));
    const begun = await Promise.all(contents.map((bytes, index) => begin(either(index), 'pieces.bin', bytes, folder._id)));
    const fileId = begun[0]?._id ?? '';
    expect(new Set(begun.map(({ _id }) => _id))).toEqual(new Set([fileId]));
    // Each piece comes to the other process, so neither has seen all the bytes of any.
    const first = await Promise.all(contents.map((bytes, index) => patch(either(index + 1), begun[index] as FileBody, bytes, 0, bytes.subarray(0, 1_000))));
    expect(counted(first.map(({ status }) => status))).toEqual({ 204: 20 });
    const last = await Promise.all(contents.map((bytes, index) => patch(either(index), begun[index] as FileBody, bytes, 1_000, bytes.subarray(1_000))));
    expect(counted(last.map(({ status }) => status))).toEqual({ 204: 20 });
    expect(await get(fileId)).toMatchObject({ _tipVersion: 20, _nextVersion: 21, _status: 'UPLOAD_COMPLETED' });
    const versions = (await one.as('owner', 'get', `${FILES}/${fileId}/versions`).expect(200)).body as { _list: { _id: string; _sha256: string }[] };
    expect(new Set(versions._list.map(({ _id, _sha256 }) => `${_id} ${_sha256}`))).toEqual(new Set(begun.map(({ _fileVersion }, index) => `${_fileVersion._id} ${sha256(contents[index] as Buffer)}`)));
  });

  it('make one version of a last piece that comes to both at once', async () => {
    const folder = await one.makeFolder('finished twice');
    const bytes = randomBytes(3_000);
    const file = await begin(one, 'twice.bin', bytes, folder._id);
    await patch(one, file, bytes, 0, bytes.subarray(0, 1_000));
    const answers = await Promise.all(TWENTY.slice(0, 6).map((index) => patch(either(index), file, bytes, 1_000, bytes.subarray(1_000))));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 204)).toHaveLength(1);
    expect(statuses.every((status) => [204, 404, 409, 423].includes(status))).toBe(true);
    expect(await get(file._id)).toMatchObject({ _tipVersion: 1, _nextVersion: 2, _fileVersion: { _sha256: sha256(bytes) } });
  });

  it('tell whoever asks how far it is of the end of an upload when there is a version, and never that there is no upload', async () => {
    const folder = await one.makeFolder('asked meanwhile');
    for (const round of [1, 2, 3, 4, 5]) {
      const bytes = randomBytes(20_000);
      const file = await begin(one, `asked ${round}`, bytes, folder._id);
      let isSent = false;
      const sent = patch(one, file, bytes, 0, bytes).finally(() => (isSent = true));
      const asking = TWENTY.slice(0, 6).map(async (index) => {
        while (!isSent) {
          const { status, headers } = await head(either(index), file, bytes);
          expect(status).toBe(200);
          if (headers.get('upload-offset') === '20000') expect(await get(file._id)).toMatchObject({ _status: 'UPLOAD_COMPLETED' });
        }
      });
      await Promise.all(asking);
      expect((await sent).status).toBe(204);
    }
  });

  it('refuse (423) to tell of the end while a process that may be dead holds it, and make the version when its time is over', async () => {
    const folder = await one.makeFolder('held by the dead');
    const bytes = randomBytes(5_000);
    const file = await begin(one, 'held.bin', bytes, folder._id);
    await patch(one, file, bytes, 0, bytes.subarray(0, 4_999));
    // As kill -9 leaves it: the last byte is written down, the version is not.
    const [upload] = await one.query<{ id: string; blob_key: string; received: PartialObject }>('SELECT id, blob_key, received FROM resumable_upload WHERE file_id = $1', [file._id]);
    const last = one.objects().append({ key: upload?.blob_key ?? '', size: 5_000 }, upload?.received as PartialObject, Readable.from([bytes.subarray(4_999)]));
    for await (const state of last) await one.query('UPDATE resumable_upload SET received = $2 WHERE id = $1', [upload?.id, JSON.stringify(state)]);
    const hold = (seconds: number) => one.query(`UPDATE resumable_upload SET lease_owner = gen_random_uuid(), lease_until = now() + $2 * interval '1 second' WHERE id = $1`, [upload?.id, seconds]);
    await hold(3_600);
    const refused = await head(other, file, bytes);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([423, '1']);
    await hold(1);
    expect((await head(other, file, bytes)).headers.get('upload-offset')).toBe('5000');
    expect(await get(file._id)).toMatchObject({ _status: 'UPLOAD_COMPLETED', _tipVersion: 1, _fileVersion: { _sha256: sha256(bytes) } });
  });

  it('give a name that files and folders want at once to files or to one folder', async () => {
    const parent = await one.makeFolder('wanted');
    const answers = await Promise.all(TWENTY.map((index) => {
      const query = { _namespaces: NS, _parents: parent._id };
      if (index % 3 === 0) return either(index).as('owner', 'post', FILES, { ...query, _name: 'wanted' });
      return either(index).as('owner', 'post', FILES, query).attach('file', Buffer.from('x'), 'wanted');
    }));
    const { _list: [winner], _total } = await one.list({ _parents: parent._id });
    expect(_total).toBe(1);
    const files = answers.filter(({ status }) => status === 201).length;
    const folders = answers.filter(({ status }) => status === 200).length;
    expect(winner).toMatchObject(winner?.['_type'] === 'dir' ? { _tipVersion: 0 } : { _tipVersion: 13 });
    expect([files, folders]).toEqual(winner?.['_type'] === 'dir' ? [0, 1] : [13, 0]);
    expect(answers.every(({ status }) => [200, 201, 409].includes(status))).toBe(true);
  });

  it('let two files that take each other\'s names at once, again and again, end in order', async () => {
    const parent = await one.makeFolder('swapped');
    const [left, right] = [await one.upload('left', 'l', { _parents: parent._id }), await other.upload('right', 'r', { _parents: parent._id })];
    const turns = [[left, 'right'], [right, 'left']] as const;
    const answers = await Promise.all(TWENTY.map((index) => {
      const [file, wanted] = turns[index % 2] as (typeof turns)[number];
      return put(either(index), file._id, { _name: index % 4 < 2 ? wanted : `free ${index}` });
    }));
    expect(Object.keys(counted(answers.map(({ status }) => status))).every((status) => ['200', '409'].includes(status))).toBe(true);
    expect((await one.list({ _parents: parent._id }))._total).toBe(2);
  });

  it('leave no folder in itself when two are moved into each other at once', async () => {
    for (const round of [1, 2, 3]) {
      const [left, right] = [await one.makeFolder(`left ${round}`), await one.makeFolder(`right ${round}`)];
      const answers = await Promise.all([put(one, left._id, { _name: `left ${round}`, _parents: [right._id] }), put(other, right._id, { _name: `right ${round}`, _parents: [left._id] })]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    }
  });

  it('lose nothing that is moved out of a folder while it is deleted, and keep nothing that stayed', async () => {
    const [doomed, safe] = [await one.makeFolder('doomed'), await one.makeFolder('safe')];
    const inner = await Promise.all(TWENTY.slice(0, 8).map((index) => either(index).upload(`inner ${index}`, 'x', { _parents: doomed._id })));
    const moves = inner.map((file, index) => put(either(index), file._id, { ...file, _parents: [safe._id] }));
    const [deleted, ...moved] = await Promise.all([remove(other, doomed._id), ...moves]);
    expect(deleted?.status).toBe(204);
    expect(moved.every(({ status }) => [200, 404].includes(status))).toBe(true);
    expect((await other.list({ _parents: safe._id }))._list.map(({ _id }) => _id).sort()).toEqual(inner.filter((_file, index) => moved[index]?.status === 200).map(({ _id }) => _id).sort());
  });

  it(`come through random changes of a few names at once in order (RACE_SEED=${SEED})`, async () => {
    const choice = new Choice(randomFrom(SEED));
    const outcomes: Outcome[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      outcomes.push(...(await changeAtOnce([one, other], choice, 24)));
      expect([round, faultsOf(outcomes), await brokenInvariants(one)]).toEqual([round, [], {}]);
    }
    expect(outcomes.filter(({ status }) => status < 300).length).toBeGreaterThan(ROUNDS);
  }, 180_000 + ROUNDS * 20_000);
});
