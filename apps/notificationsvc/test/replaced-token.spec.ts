import { createDataSource } from '@twinyard/service-kit';
import { createTestDatabase, type TestDatabase } from '@twinyard/testing';
import type { DataSource } from 'typeorm';
import { LinkSigner } from '../src/links/link-signer';
import { CreateNotifications1700000000001 } from '../src/migrations/1700000000001-CreateNotifications';
import { DeviceSecrets } from '../src/resources/device-secrets';
import { resealSecrets } from '../src/resources/reseal-secrets.repository';

const OLD = { SERVICE_TOKEN: 'the-old-service-token', BASE_URL: 'http://twinyard.test' };
const YOUNG = { SERVICE_TOKEN: 'the-new-service-token', BASE_URL: 'http://twinyard.test' };
const BOTH = { ...YOUNG, SERVICE_TOKEN_PREVIOUS: OLD.SERVICE_TOKEN };

describe('when the service token is replaced', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = await createDataSource({ url: database.url, entities: [], migrations: [CreateNotifications1700000000001] }).initialize();
    await dataSource.runMigrations();
  });
  afterAll(async () => {
    await dataSource?.destroy();
    await database?.drop();
  });

  it('links in mails that were sent before are good for as long as the old one is known', () => {
    const token = new LinkSigner(OLD).urlOf({ action: 'cancel', subscriptionId: 's', senderId: 'x' }).split('/').at(-1) ?? '';
    expect(new LinkSigner(BOTH).read(token)).toEqual({ action: 'cancel', subscriptionId: 's', senderId: 'x' });
    expect(new LinkSigner(YOUNG).read(token)).toBeUndefined();
  });

  it('webhook secrets are encrypted anew, in any number of runs; other devices are left alone', async () => {
    const insert = (name: string, webhook: object | undefined) =>
      dataSource.query(
        `INSERT INTO resource SELECT gen_random_uuid(), 'device', 'ns', $1, 1, $2, now(), now(), 'a', 'a'`, [name, JSON.stringify({ _status: 'OK', ...(webhook && { _webhook: webhook }) })],
      );
    for (let n = 0; n < 3; n += 1) await insert(`old ${n}`, { _url: 'https://x', _sealedSecret: new DeviceSecrets(OLD).seal(`whsec_${n}`) });
    await insert('new', { _url: 'https://x', _sealedSecret: new DeviceSecrets(YOUNG).seal('whsec_new') });
    await insert('mail', undefined);
    expect([await resealSecrets(dataSource, new DeviceSecrets(BOTH)), await resealSecrets(dataSource, new DeviceSecrets(BOTH))]).toEqual([3, 0]);
    const rows = await dataSource.query<{ sealed: string | null; url: string }[]>(`SELECT body #>> '{_webhook,_sealedSecret}' AS sealed, body #>> '{_webhook,_url}' AS url FROM resource ORDER BY name`);
    const young = new DeviceSecrets(YOUNG);
    expect(rows.map(({ sealed }) => sealed && young.open(sealed))).toEqual([null, 'whsec_new', 'whsec_0', 'whsec_1', 'whsec_2']);
    await expect(resealSecrets(dataSource, new DeviceSecrets({ SERVICE_TOKEN: 'a-third-service-token' }))).rejects.toThrow('another SERVICE_TOKEN');
  });
});
