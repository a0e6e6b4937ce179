import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SERVICES } from '@twinyard/conventions';
import { repositoryRoot } from '../../checks/repository/repository';
import { IMAGES } from '../../images/image';
import { schemaOf } from '../variables';
import { addressesIn, CALLED_BY_OTHERS, portsOfSecrets } from './addresses';
import { NAMED_BY_USERS } from './calls';

const root = repositoryRoot();
/** How names of settings end that hold addresses. */
const ADDRESS = /_(URL|URIS|ENDPOINT|BROKERS|ADDRESS|ORIGINS)$/;
/** Of the shapes that addresses have in settings. */
const SAMPLES = ['https://peer:1', 'peer:1'];

describe('the addresses in settings', () => {
  it.each(IMAGES)('of %s are all known as called, or as called by others', async (image) => {
    const addressed = Object.keys((await schemaOf(image)).shape).filter((name) => ADDRESS.test(name));
    expect(addressed).toContain('PASSPORT_URL');
    const unknown = addressed.filter((name) => !CALLED_BY_OTHERS.has(name) && !SAMPLES.some((sample) => addressesIn({ [name]: sample }).some(({ host, port }) => host === 'peer' && port === 1)));
    expect(unknown).toEqual([]);
  });

  it('are called at the port that they say, or that their kind has', () => {
    expect(addressesIn({ ITEMSVC_URL: 'http://itemsvc:3000', S3_ENDPOINT: 'https://s3.example.com', DATABASE_URL: 'postgresql://a:b@postgres/c' })).toEqual([
      { host: 'itemsvc', port: 3000 }, { host: 's3.example.com', port: 443 }, { host: 'postgres', port: 5432 },
    ]);
    expect(addressesIn({ KAFKA_BROKERS: 'one:9092,two:9093', SCAN_CLAMD_ADDRESS: '/run/clamd.sock' })).toEqual([{ host: 'one', port: 9092 }, { host: 'two', port: 9093 }]);
    expect(portsOfSecrets({ DATABASE_URL: undefined, SMTP_URL: 'smtp://mail:25' })).toEqual([5432]);
  });
});

describe('the calls to what users name', () => {
  const calling = SERVICES.filter((service) => sourcesOf(join(root, 'apps', service, 'src')).some((file) => readFileSync(file, 'utf8').includes('outboundAgent(')));

  it('are of services that have a setting for it', async () => {
    expect(calling.length).toBeGreaterThan(0);
    const settings = await Promise.all(SERVICES.map(async (service) => [service, Object.keys((await schemaOf(service)).shape).filter((name) => name.endsWith('_ALLOW_PRIVATE'))] as const));
    expect(settings.filter(([, names]) => names.length > 0).map(([service]) => service)).toEqual(calling);
    expect(settings.flatMap(([, names]) => names).sort()).toEqual(Object.keys(NAMED_BY_USERS).sort());
  });
});

function sourcesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.spec.ts')).map(({ parentPath, name }) => join(parentPath, name));
}
