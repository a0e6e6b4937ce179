import { randomBytes } from 'node:crypto';
import type { SqlTx } from '@twinyard/service-kit';
import { eventually } from '@twinyard/testing';
import {
  type DataKey, DataKeyInUse, DataKeyRotation, DataKeys, Envelope, KeyCipher, parseCiphertext, PostgresDataKeyStore, type ResealedBatch, type RotationStep, SealedRecords, sealText,
} from '../src';
import { openSealedTexts } from './sealed-texts';

const RECORD = 'a record';

describe('the rotation of data keys', () => {
  let texts: Awaited<ReturnType<typeof openSealedTexts>>;
  let envelope: Envelope<SqlTx>;
  let namespace: string;
  const cipher = new KeyCipher(randomBytes(32).toString('base64'));
  const steps: RotationStep[] = [];

  /** Texts in a table, as a service keeps them; `meanwhile` is what others do during each step. */
  class Texts extends SealedRecords {
    constructor(private readonly meanwhile: () => Promise<void> = async () => undefined) {
      super();
    }

    override async reseal(newest: DataKey, after: string | undefined, limit: number): Promise<ResealedBatch> {
      const rows = await texts.dataSource.query<{ id: number; sealed: string }[]>(
        'SELECT t.id, t.sealed FROM sealed_text t JOIN data_key k ON k.id = t.data_key_id WHERE k.namespace = $1 AND k.id <> $2 AND t.id > $3 ORDER BY t.id LIMIT $4',
        [newest.namespace, newest.id, after ?? 0, limit],
      );
      for (const { id, sealed } of rows) await write(sealText(newest, RECORD, await envelope.open({ namespace, record: RECORD }, sealed)), id);
      await this.meanwhile();
      return { resealed: rows.length, unopenable: [], last: rows.length < limit ? undefined : rows.at(-1)?.id.toString() };
    }
  }

  beforeAll(async () => {
    texts = await openSealedTexts();
  });
  beforeEach(() => {
    namespace = `house_${randomBytes(4).toString('hex')}`;
    envelope = replica();
    steps.length = 0;
  });
  afterAll(() => texts?.close());

  const replica = () => new Envelope<SqlTx>(new DataKeys(texts.unitOfWork, new PostgresDataKeyStore(texts.dataSource), cipher));
  const write = (sealed: string, id?: number) => texts.dataSource.query(
    id === undefined ? 'INSERT INTO sealed_text (sealed, data_key_id) VALUES ($1, $2)' : 'UPDATE sealed_text SET sealed = $1, data_key_id = $2 WHERE id = $3',
    [sealed, parseCiphertext(sealed)?.keyId, ...(id === undefined ? [] : [id])],
  );
  const keep = async (text: string, by = envelope) => write(await by.seal({ namespace, record: RECORD }, text));
  const rotation = (records: SealedRecords = new Texts(), patienceMs = 120_000, told: (tx: SqlTx, step: RotationStep) => Promise<void> = async (_tx, step) => void steps.push(step)) =>
    new DataKeyRotation<SqlTx>(texts.unitOfWork, envelope, { records, told, patienceMs });
  const versions = async () => (await texts.dataSource.query<{ version: number }[]>('SELECT version FROM data_key WHERE namespace = $1 ORDER BY version', [namespace])).map(({ version }) => version);
  const opened = async () => {
    const rows = await texts.dataSource.query<{ sealed: string }[]>('SELECT t.sealed FROM sealed_text t JOIN data_key k ON k.id = t.data_key_id WHERE k.namespace = $1 ORDER BY t.id', [namespace]);
    return Promise.all(rows.map(({ sealed }) => replica().open({ namespace, record: RECORD }, sealed)));
  };

  it('makes a key, seals all under it, removes the old one, and tells both', async () => {
    for (const text of ['one', 'two']) await keep(text);
    expect(await rotation().rotate(namespace)).toEqual({ namespace, version: 2, resealed: 2, removed: 1, resumed: false });
    expect([await versions(), await opened()]).toEqual([[2], ['one', 'two']]);
    expect(steps).toMatchObject([{ kind: 'made', key: { version: 2 } }, { kind: 'removed', key: { version: 1 } }]);
    expect(await rotation().rotate('nobody_12345678')).toBeUndefined();
  });

  it('waits for a replica that still seals under the old key, which it cannot once that is gone', async () => {
    const late = replica();
    await keep('one', late);
    await keep('two', late);
    const holding = texts.dataSource.createQueryRunner();
    await holding.startTransaction();
    const sealed = await late.seal({ namespace, record: RECORD }, 'in a transaction');
    await holding.query('INSERT INTO sealed_text (sealed, data_key_id) VALUES ($1, $2)', [sealed, parseCiphertext(sealed)?.keyId]);
    const rotating = rotation().rotate(namespace);
    await eventually(async () => (await texts.dataSource.query<unknown[]>(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'DELETE FROM data_key%'`,
    )).length === 1);
    await holding.commitTransaction();
    await holding.release();
    expect(await rotating).toMatchObject({ version: 2, resealed: 3, removed: 1 });
    expect([await versions(), (await opened()).sort()]).toEqual([[2], ['in a transaction', 'one', 'two']]);
    await expect(keep('too late', late)).rejects.toThrow('foreign key');
    late.keys.forget(namespace);
    await keep('in time', late);
    expect(await opened()).toContain('in time');
  });

  it('gives up when the old key stays in use, and is taken up by the next', async () => {
    const late = replica();
    await keep('one', late);
    const records = new Texts(() => keep('again', late));
    await expect(rotation(records, 0).rotate(namespace)).rejects.toThrow(DataKeyInUse);
    expect(await versions()).toEqual([1, 2]);
    expect(await rotation().rotate(namespace)).toMatchObject({ version: 2, resumed: true, removed: 1 });
    expect(await versions()).toEqual([2]);
  });

  it('makes no key that it cannot tell of, and none under another key-encryption key', async () => {
    await keep('one');
    const untold = rotation(new Texts(), 0, () => Promise.reject(new Error('no audit log')));
    await expect(untold.rotate(namespace)).rejects.toThrow('no audit log');
    envelope = new Envelope(new DataKeys(texts.unitOfWork, new PostgresDataKeyStore(texts.dataSource), new KeyCipher(randomBytes(32).toString('base64'))));
    await expect(rotation().rotate(namespace)).rejects.toThrow('KEY_ENCRYPTION_KEY does not open data key 1');
    expect(await versions()).toEqual([1]);
  });

  it('ends with one key when two are run at once', async () => {
    for (let count = 0; count < 5; count += 1) await keep(`text ${count}`);
    const both = await Promise.all([rotation().rotate(namespace), rotation().rotate(namespace)]);
    expect(both.map((each) => each?.namespace)).toEqual([namespace, namespace]);
    expect(await versions()).toHaveLength(1);
    expect(await opened()).toEqual(['text 0', 'text 1', 'text 2', 'text 3', 'text 4']);
  });
});
