import { eventually } from '@twinyard/testing';
import { FILES, type FileBody, FilesvcUnderTest, NS, OTHER } from './filesvc-under-test';

const LIMIT = 100_000;

describe('uploads of one file a request that come to one place at once', () => {
  let files: FilesvcUnderTest;
  let folder: FileBody;
  let unique = 0;
  beforeAll(async () => {
    // All of them are to have come before the first is kept; their share of places is another matter (fair-share).
    files = await FilesvcUnderTest.start({ UPLOAD_PLACES: 40, TENANT_SHARE: 0.9, NAMESPACE_QUOTAS: new Map([[OTHER, LIMIT]]) });
    for (const subject of ['author', 'reader']) await files.passport.grant(subject, NS, subject === 'reader' ? ['READ'] : ['*']);
    await files.passport.grant('owner', OTHER, ['*']);
    await files.signIn('author', 'reader');
  });
  beforeEach(async () => { folder = await files.makeFolder(`folder ${(unique += 1)}`); });
  afterAll(() => files?.stop());

  const send = (name: string, content: string, query: object = {}, subject = 'owner') =>
    files.as(subject, 'post', FILES, { _namespaces: NS, _parents: folder._id, ...query }).attach('file', Buffer.from(content), name).then(({ status, body }) => ({ status, body: body as [FileBody] & { message?: string } }));
  type Answer = ReturnType<typeof send>;

  /** None is kept until all have brought their bytes; `meanwhile`: what happens until then. */
  async function atOnce(sends: readonly (() => Answer)[], meanwhile: () => Promise<unknown> = async () => undefined): Promise<Awaited<Answer>[]> {
    const before = (await files.blobs()).length;
    return whileHeld(sends, async () => {
      await eventually(async () => expect((await files.blobs()).length).toBe(before + sends.length));
      await meanwhile();
    });
  }

  async function whileHeld(sends: readonly (() => Answer)[], meanwhile: () => Promise<unknown>): Promise<Awaited<Answer>[]> {
    await files.query('BEGIN');
    await files.query('SELECT pg_advisory_xact_lock(hashtextextended(tree, 0)) FROM unnest($1::text[]) AS tree', [[`tree of ${NS}`, `tree of ${OTHER}`]]);
    const sent = Promise.all(sends.map((one) => one()));
    await meanwhile();
    await files.query('COMMIT');
    return sent;
  }
  const transactionsOf = async (ids: readonly string[]) =>
    (await files.query<{ n: number }>('SELECT count(DISTINCT xmin::text)::int AS n FROM file WHERE id = ANY($1::uuid[])', [ids]))[0]?.n;

  it('are made by few transactions, each as what it says and whose it is', async () => {
    const subjects = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? 'owner' : 'author'));
    const answers = await atOnce(subjects.map((subject, n) => () => send(`${n}.txt`, `content ${n}`, { _tags: `tag ${n}`, _userAttributes: JSON.stringify({ n }) }, subject)));
    expect(answers.map(({ status }) => status)).toEqual(subjects.map(() => 201));
    const made = answers.map(({ body: [file] }) => file);
    const maker = (n: number) => (made[n]?.['_metadata'] as { _createdById: string })._createdById;
    expect(made.map(({ _name, _tags, _userAttributes, _tipVersion, _fileVersion }) => [_name, _tags, _userAttributes, _tipVersion, (_fileVersion as { _fileSize?: number })._fileSize])).toEqual(
      subjects.map((_, n) => [`${n}.txt`, [`tag ${n}`], { n }, 1, `content ${n}`.length]));
    expect(made.map((_, n) => maker(n))).toEqual(subjects.map((_, n) => maker(n % 2)));
    expect(maker(0)).not.toBe(maker(1));
    for (const [n, { _id }] of made.entries()) {
      expect((await files.as('owner', 'get', `${FILES}/${_id}`).expect(200)).body).toEqual(made[n]);
      expect((await files.send('get', await files.address(made[n] as FileBody)).buffer(true).expect(200)).text).toBe(`content ${n}`);
    }
    expect(await transactionsOf(made.map(({ _id }) => _id))).toBeLessThanOrEqual(5);
  });

  it('end each for itself: one file of two of one name, what a folder has is refused, and who may not is', async () => {
    await files.makeFolder('taken', { _parents: folder._id });
    const answers = await atOnce([
      () => send('one.txt', '1'), () => send('same.txt', 'first'), () => send('same.txt', 'second'), () => send('two.txt', '2', {}, 'author'),
    ], async () => {
      expect((await send('taken', 'x')).status).toBe(409);
      expect((await send('mine.txt', 'x', {}, 'reader')).status).toBe(403);
    });
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    const [, first, second] = answers.map(({ body: [file] }) => file);
    expect(first?._id).toBe(second?._id);
    expect([first?.['_tipVersion'], second?.['_tipVersion']].sort()).toEqual([1, 2]);
    expect((await files.list({ _parents: folder._id }))._list.map(({ _name }) => _name).sort()).toEqual(['one.txt', 'same.txt', 'taken', 'two.txt']);
  });

  it('are kept but for the one whose bytes were swept', async () => {
    const answers = await atOnce(Array.from({ length: 8 }, (_, n) => () => send(`${n}.txt`, 'x'.repeat(n + 1))), async () => {
      const [note] = await files.query<{ key: string }>('SELECT key FROM loose_blob ORDER BY key LIMIT 1');
      await files.query('DELETE FROM loose_blob WHERE key = $1', [note?.key]);
    });
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array.from({ length: 7 }, () => 201), 503]);
    expect(answers.find(({ status }) => status === 503)?.body.message).toContain('took too long');
    expect((await files.list({ _parents: folder._id }))._total).toBe(7);
  });

  it('are all refused where their folder goes meanwhile, and leave nothing', async () => {
    const before = await files.blobs();
    const answers = await atOnce(Array.from({ length: 6 }, (_, n) => () => send(`${n}.txt`, 'x')), () => files.query('DELETE FROM file WHERE id = $1', [folder._id]));
    expect(answers.map(({ status, body }) => [status, body.message])).toEqual(answers.map(() => [400, '_parents: names no folder']));
    expect(await files.blobs()).toEqual(before);
  });

  it('are refused one by one where there is room for some of them', async () => {
    const own = (await files.as('owner', 'post', FILES, { nsfilter: OTHER, _name: 'limited', _namespaces: OTHER }).expect(200)).body as FileBody;
    const answers = await atOnce(Array.from({ length: 10 }, (_, n) => () => send(`${n}.bin`, 'x'.repeat(LIMIT / 5), { nsfilter: OTHER, _namespaces: OTHER, _parents: own._id })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 201, 413, 413, 413, 413, 413]);
  });

  it('are refused (429) where as many wait as may', async () => {
    const few = await files.replica({ REQUESTS_WAITING: 3 });
    let refused = 0;
    const post = async (n: number) => {
      const { status, body } = await few.as('owner', 'post', FILES, { _namespaces: NS, _parents: folder._id }).attach('file', Buffer.from('x'), `${n}.txt`);
      if (status === 429) refused += 1;
      return { status, body: body as [FileBody] };
    };
    const answers = await whileHeld(Array.from({ length: 8 }, (_, n) => () => post(n)), () => eventually(() => expect(refused).toBe(5)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 429, 429, 429, 429, 429]);
    expect((await files.list({ _parents: folder._id }))._total).toBe(3);
  });
});
