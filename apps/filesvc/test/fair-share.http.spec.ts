import { createHash } from 'node:crypto';
import { eventually } from '@twinyard/testing';
import { FILES, type FileBody, FilesvcUnderTest, NS, OTHER } from './filesvc-under-test';

/** Sent at once, into one folder. */
const UPLOADS = 500;
/** More than there are connections. */
const PIECES = 40;

describe('beside a tenant that sends a folder of hundreds of files at once', () => {
  let files: FilesvcUnderTest;
  beforeAll(async () => { files = await FilesvcUnderTest.start({ REQUEST_WAIT_SECONDS: 600 }); });
  afterAll(() => files.stop());

  /** None of the one gets any further. */
  const standstill = async () => {
    await files.query('begin');
    await files.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`tree of ${NS}`]);
  };
  /** Of this database: the specs of another worker wait for locks on the same server. */
  const waiting = async () => (await files.query<{ n: number }>(
    `select count(*)::int as n from pg_locks where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())`))[0]?.n;
  const uploadOfOther = async (name: string) => (await files.as('stranger', 'post', FILES, { nsfilter: OTHER, _namespaces: OTHER }).attach('file', Buffer.from(name), name).expect(201)).body as FileBody[];

  /** What the other asks is answered. */
  async function expectProgress(prefix: string): Promise<void> {
    const [one] = await uploadOfOther(`${prefix} one`);
    const before = (await files.list({ nsfilter: OTHER }, 'stranger'))._total;
    for (let n = 0; n < 20; n += 1) {
      await files.as('stranger', 'get', `${FILES}/${one?._id}`, { nsfilter: OTHER }).expect(200);
      expect((await files.list({ nsfilter: OTHER }, 'stranger'))._total).toBe(before + n);
      await uploadOfOther(`${prefix} ${n}`);
    }
  }

  it('all requests of another are answered, though none of these gets any further', async () => {
    const folder = await files.makeFolder('many');
    await standstill();
    let settled = 0;
    const uploads = Array.from({ length: UPLOADS }, async (_, n) => {
      const { status } = await files.as('owner', 'post', FILES, { _namespaces: NS, _parents: folder._id }).attach('file', Buffer.from(`${n}`), `${n}.txt`);
      settled += 1;
      return status;
    });
    const changes = Array.from({ length: 40 }, (_, n) => files.as('owner', 'post', FILES, { _name: `folder ${n}`, _namespaces: NS }).then(({ status }) => { settled += 1; return status; }));
    // Of the changes as many as have a place, and one transaction for all of the uploads.
    await eventually(async () => expect(await waiting()).toBe(7));
    await expectProgress('beside files');
    expect(settled).toBe(0);
    await files.query('rollback');
    expect(new Set(await Promise.all(uploads))).toEqual(new Set([201]));
    expect(new Set(await Promise.all(changes))).toEqual(new Set([200]));
  });

  it('all requests of another are answered, though the last pieces of many uploads get no further', async () => {
    const folder = await files.makeFolder('pieces');
    const contents = Array.from({ length: PIECES }, (_, n) => Buffer.from(`content ${n}`));
    const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
    const begun: FileBody[] = [];
    for (const [n, bytes] of contents.entries()) {
      const body = { _name: `${n}.bin`, _namespaces: [NS], _parents: [folder._id], _uploadMeta: { _size: bytes.length, _checksum: sha256(bytes) } };
      begun.push((await files.as('owner', 'post', FILES, { uploadType: 'resumable' }).send(body).expect(200)).body as FileBody);
    }
    await standstill();
    let settled = 0;
    const pieces = begun.map(async ({ _id }, n) => {
      const headers = { authorization: `Bearer ${files.tokenOf('owner')}`, 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' };
      const { status } = await fetch(`${files.url}${FILES}/${_id}?uploadType=resumable&nsfilter=${NS}`, { method: 'PATCH', headers, body: contents[n] as Buffer });
      settled += 1;
      return status;
    });
    await eventually(async () => expect(await waiting()).toBeGreaterThan(0));
    await expectProgress('beside pieces');
    expect(settled).toBe(0);
    await files.query('rollback');
    expect(new Set(await Promise.all(pieces))).toEqual(new Set([204]));
  });
});
