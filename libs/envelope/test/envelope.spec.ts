import { randomBytes } from 'node:crypto';
import { DataKeys, Envelope, isCiphertextOf, KeyCipher, looksSealed, parseCiphertext, PostgresDataKeyStore, UnopenableCiphertext } from '../src';
import { openSealedTexts } from './sealed-texts';

const newKey = () => randomBytes(32).toString('base64');
const place = { namespace: 'house_12345678', record: 'passportsvc:secret:1' };
const PLAIN = 'the word is „Schlüssel“ 🔑';

describe('an envelope', () => {
  let texts: Awaited<ReturnType<typeof openSealedTexts>>;
  let envelope: Envelope;
  const kek = newKey();
  const replica = (keyCipher = new KeyCipher(kek), lifeMs = 60_000) =>
    new Envelope(new DataKeys(texts.unitOfWork, new PostgresDataKeyStore(texts.dataSource), keyCipher, { lifeMs, capacity: 2 }));

  beforeAll(async () => {
    texts = await openSealedTexts();
    envelope = replica();
  });
  afterAll(() => texts?.close());

  it('opens what it has sealed, names the key, and seals the same text differently each time', async () => {
    const sealed = await envelope.seal(place, PLAIN);
    expect(await envelope.open(place, sealed)).toBe(PLAIN);
    expect(parseCiphertext(sealed)?.keyId).toBe((await envelope.keys.newest(place.namespace)).id);
    expect(await envelope.seal(place, PLAIN)).not.toBe(sealed);
    // The last one is as large as a document can be.
    for (const text of ['', '\u0000', 'a'.repeat(70_000), 'b'.repeat(16 * 1024 ** 2)]) expect((await envelope.open(place, await envelope.seal(place, text))) === text).toBe(true);
  });

  it('does not open at another record, in another namespace, or under a key of another name', async () => {
    const sealed = await envelope.seal(place, PLAIN);
    const elsewhere = { ...place, record: 'passportsvc:secret:2' };
    const abroad = { ...place, namespace: 'other_12345678' };
    const ofElsewhere = await envelope.seal(elsewhere, 'x');
    const ofAbroad = await envelope.seal(abroad, 'x');
    const parts = sealed.split('.');
    const moved = [
      [elsewhere, sealed], [abroad, sealed],
      // The same bytes behind the names of another record or key.
      [elsewhere, [...ofElsewhere.split('.').slice(0, 3), parts[3]].join('.')],
      [abroad, [...ofAbroad.split('.').slice(0, 3), parts[3]].join('.')],
    ] as const;
    for (const [at, text] of moved) await expect(envelope.open(at, text)).rejects.toThrow(/^The ciphertext cannot be opened$/);
  });

  it('does not open when a bit was changed, wherever, and says the same each time', async () => {
    const sealed = await envelope.seal(place, 'short');
    for (let at = 0; at < sealed.length; at += 1) {
      for (const bit of [1, 2, 4, 8, 16, 32]) {
        const changed = sealed.slice(0, at) + String.fromCharCode(sealed.charCodeAt(at) ^ bit) + sealed.slice(at + 1);
        await expect(envelope.open(place, changed)).rejects.toThrow(/^The ciphertext cannot be opened$/);
      }
    }
    for (const text of ['', 'ty1', sealed.slice(0, -1), `${sealed}A`, `${sealed}=`, `${sealed}\n`, `${sealed} `, ` ${sealed}`]) await expect(envelope.open(place, text)).rejects.toThrow(UnopenableCiphertext);
  });

  it('tells whose a ciphertext is, also under a key that is gone, and knows a cut one', async () => {
    const sealed = await envelope.seal(place, PLAIN);
    expect([isCiphertextOf(place.record, sealed), isCiphertextOf('passportsvc:secret:2', sealed), isCiphertextOf(place.record, PLAIN)]).toEqual([true, false, false]);
    expect([looksSealed(sealed), looksSealed(`\n${sealed}`), looksSealed(sealed.slice(0, 30)), looksSealed(PLAIN), looksSealed('ty1.')]).toEqual([true, true, true, false, false]);
  });

  it('ends with one key when replicas make the first of a namespace at once', async () => {
    const at = { ...place, namespace: 'fresh_12345678' };
    const replicas = Array.from({ length: 4 }, () => replica());
    const sealed = await Promise.all(replicas.map((one) => one.seal(at, PLAIN)));
    expect(await texts.dataSource.query('SELECT version FROM data_key WHERE namespace = $1', [at.namespace])).toEqual([{ version: 1 }]);
    for (const ciphertext of sealed) expect(await replica().open(at, ciphertext)).toBe(PLAIN);
  });

  it('remembers keys for a while, and no more than it may', async () => {
    let reads = 0;
    class Counted extends PostgresDataKeyStore {
      override listOf(namespace: string) {
        reads += 1;
        return super.listOf(namespace);
      }
    }
    const counted = (lifeMs: number) => new Envelope(new DataKeys(texts.unitOfWork, new Counted(texts.dataSource), new KeyCipher(kek), { lifeMs, capacity: 2 }));
    const sealIn = async (one: Envelope, ...names: string[]) => {
      reads = 0;
      for (const name of names) await one.seal({ ...place, namespace: `${name}_12345678` }, 'x');
      return reads;
    };
    await sealIn(envelope, 'a', 'b', 'c');
    const lasting = counted(60_000);
    expect(await sealIn(lasting, 'a', 'a', 'b', 'a')).toBe(2);
    expect(await sealIn(lasting, 'c', 'a', 'b')).toBe(2);
    expect(await sealIn(counted(0), 'a', 'a')).toBe(2);
  });

  it('says which key does not open under another KEY_ENCRYPTION_KEY, and nothing of what is inside', async () => {
    const sealed = await envelope.seal(place, PLAIN);
    const stranger = replica(new KeyCipher(newKey()));
    await expect(stranger.open(place, sealed)).rejects.toThrow(/^KEY_ENCRYPTION_KEY does not open data key 1 of house_12345678 \([\w-]{16}\): /);
    await expect(stranger.seal(place, PLAIN)).rejects.toThrow('KEY_ENCRYPTION_KEY does not open');
  });

  it('does not take a wrapped key that was put into another row', async () => {
    const at = { ...place, namespace: 'swapped_12345678' };
    await envelope.seal(at, PLAIN);
    await texts.dataSource.query('UPDATE data_key SET wrapped = (SELECT wrapped FROM data_key WHERE namespace = $2 LIMIT 1) WHERE namespace = $1', [at.namespace, place.namespace]);
    await expect(replica().seal(at, PLAIN)).rejects.toThrow('does not open data key 1 of swapped_12345678');
    await texts.dataSource.query('DELETE FROM data_key WHERE namespace = $1', [at.namespace]);
  });

  it('opens everything after its keys were wrapped under another key-encryption key', async () => {
    const sealed = await envelope.seal(place, PLAIN);
    const young = newKey();
    const both = replica(new KeyCipher(young, kek));
    const [{ count }] = await texts.dataSource.query('SELECT count(*)::int FROM data_key') as [{ count: number }];
    expect(count).toBeGreaterThan(3);
    expect([await both.keys.rewrap(), await both.keys.rewrap()]).toEqual([count, 0]);
    expect(await replica(new KeyCipher(young)).open(place, sealed)).toBe(PLAIN);
    await expect(replica().open(place, sealed)).rejects.toThrow('KEY_ENCRYPTION_KEY does not open');
    await replica(new KeyCipher(kek, young)).keys.rewrap();
  });
});
