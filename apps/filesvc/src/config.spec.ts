import { loadSettings, type SettingsError } from '@twinyard/service-kit';
import { filesvcSettings, s3Options, secondaryS3Options } from './config';

const BASE = {
  BASE_URL: 'http://localhost:8080', DATABASE_URL: 'postgres://localhost/files', EVENTS_DATABASE_URL: 'postgres://localhost/events',
  PASSPORT_URL: 'http://localhost:3001', SERVICE_TOKEN: 'a-token-of-the-services',
};
const S3 = { S3_ENDPOINT: 'https://s3.example:9000', S3_BUCKET: 'files', S3_ACCESS_KEY: 'access', S3_SECRET_KEY: 'secret' };

const load = (more: Record<string, string>) => loadSettings(filesvcSettings, { ...BASE, ...more });

function faultsOf(more: Record<string, string>): readonly string[] {
  try {
    load(more);
    return [];
  } catch (error) {
    return (error as SettingsError).faults;
  }
}

describe('where filesvc keeps its bytes', () => {
  it('is a folder, unless an S3 is named', () => {
    expect(s3Options(load({}))).toBeUndefined();
    expect(s3Options(load({ BLOBS_DIR: '/blobs' }))).toBeUndefined();
    expect(s3Options(load({ ...S3, DATA_DIR: '/kept' }))).toEqual({
      endpoint: 'https://s3.example:9000', publicEndpoint: undefined, bucket: 'files', region: 'us-east-1', accessKey: 'access', secretKey: 'secret', pathStyle: true,
    });
  });

  it('takes the other settings of the S3', () => {
    const settings = load({ ...S3, S3_REGION: 'eu-north-1', S3_PATH_STYLE: 'false', S3_PUBLIC_ENDPOINT: 'https://files.example', S3_REDIRECT_MIN_BYTES: '1000' });
    expect(s3Options(settings)).toMatchObject({ region: 'eu-north-1', pathStyle: false, publicEndpoint: 'https://files.example' });
    expect(settings.S3_REDIRECT_MIN_BYTES).toBe(1_000);
  });

  it('is a second place too while bytes move: a folder or an S3, whole or not at all', () => {
    expect(secondaryS3Options(load({ ...S3, BLOBS_SECONDARY_DIR: '/old' }))).toBeUndefined();
    const second = Object.fromEntries(Object.entries(S3).map(([name, value]) => [name.replace('S3_', 'S3_SECONDARY_'), `${value}2`]));
    expect(secondaryS3Options(load({ ...S3, ...second, S3_SECONDARY_ENDPOINT: 'https://old.example' }))).toEqual({
      endpoint: 'https://old.example', publicEndpoint: undefined, bucket: 'files2', region: 'us-east-1', accessKey: 'access2', secretKey: 'secret2', pathStyle: true,
    });
    expect(faultsOf({ S3_SECONDARY_ENDPOINT: 'https://old.example' })).toHaveLength(3);
    expect(faultsOf({ BLOBS_SECONDARY_DIR: '/old', ...second, S3_SECONDARY_ENDPOINT: 'https://old.example' })).toEqual(['BLOBS_SECONDARY_DIR and S3_SECONDARY_ENDPOINT: only one of them may be given']);
  });

  it('is never both', () => {
    expect(faultsOf({ ...S3, BLOBS_DIR: '/blobs' })).toEqual(['BLOBS_DIR and S3_ENDPOINT: only one of them may be given']);
  });

  it('is an S3 with a bucket and keys, or none of it', () => {
    expect(faultsOf({ S3_ENDPOINT: S3.S3_ENDPOINT })).toEqual(['S3_BUCKET', 'S3_ACCESS_KEY', 'S3_SECRET_KEY'].map((name) => `${name}: is missing, S3_ENDPOINT needs it`));
    for (const [name, value] of Object.entries({ S3_BUCKET: 'files', S3_ACCESS_KEY: 'a', S3_SECRET_KEY: 'b', S3_PUBLIC_ENDPOINT: 'https://files.example', S3_REDIRECT_MIN_BYTES: '1' })) {
      expect(faultsOf({ [name]: value })).toEqual([`S3_ENDPOINT: is missing, ${name} needs it`]);
    }
  });

  it.each([
    ['S3_ENDPOINT', 's3.example:9000'], ['S3_ENDPOINT', 'nonsense'], ['S3_ENDPOINT', 'ftp://s3.example'], ['S3_ENDPOINT', 'https://s3.example/files'], ['S3_PUBLIC_ENDPOINT', 'https://user:password@s3.example'],
    ['S3_BUCKET', 'Files'], ['S3_BUCKET', 'x'], ['S3_PATH_STYLE', 'yes'], ['S3_REDIRECT_MIN_BYTES', '-1'],
  ])('refuses %s=%s without repeating it', (name, value) => {
    const faults = faultsOf({ ...S3, [name]: value });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(new RegExp(`^${name}: `));
    expect(faults[0]).not.toContain(value);
  });
});

describe('what uploads are held to', () => {
  it('names every fault of the quotas at once, with its place', () => {
    expect(faultsOf({ NAMESPACE_QUOTAS: 'nowhere=1,house_a1B2c3D4=much' })).toEqual([
      'NAMESPACE_QUOTAS: entry 1 does not begin with a namespace', 'NAMESPACE_QUOTAS: entry 2 does not end with =<bytes>, or a number of KiB, MiB, GiB or TiB',
    ]);
    expect(load({ NAMESPACE_QUOTAS: 'house_a1B2c3D4=1KiB' }).NAMESPACE_QUOTAS.get('house_a1B2c3D4')).toBe(1_024);
    expect(load({}).NAMESPACE_QUOTAS.size).toBe(0);
  });

  it.each(['clamd:3310', '10.0.0.1:3310', '[::1]:3310', '/run/clamav/clamd.sock'])('takes a scanner at %s', (address) => {
    expect(load({ SCAN_CLAMD_ADDRESS: address })).toMatchObject({ SCAN_CLAMD_ADDRESS: address, SCAN_TIMEOUT_SECONDS: 60, SCAN_TOO_LARGE: 'refuse' });
  });

  it.each(['clamd', 'clamd:0', 'clamd:99999', 'http://clamd:3310', '/', '::1:3310'])('takes no scanner at %s', (address) => {
    expect(faultsOf({ SCAN_CLAMD_ADDRESS: address })).toEqual(['SCAN_CLAMD_ADDRESS: must be host:port, or the absolute path of a socket']);
  });

  it('knows settings of a scanner only beside one', () => {
    expect(faultsOf({ SCAN_TOO_LARGE: 'keep' })).toEqual(['SCAN_CLAMD_ADDRESS: is missing, SCAN_TOO_LARGE needs it']);
  });
});
