import { SERVICES, type ServiceName } from '@twinyard/conventions';
import { readPlatformSettings } from './config';
import { readGatewaySettings } from './gateway/config';
import { chooseServicePorts } from './ports';
import { databasesOf, processTable, serviceEnvironment, type PlatformContext } from './process-table';

const ports = Object.fromEntries(SERVICES.map((service, index) => [service, 4000 + index])) as Record<ServiceName, number>;

function context(environment: NodeJS.ProcessEnv = {}, args: string[] = []): PlatformContext {
  const secrets = { adminPassword: 'a-password', isAdminPasswordNew: true, serviceToken: 'a-token-of-services', keyEncryptionKey: 'a-key' };
  const replicaPorts = Object.fromEntries(SERVICES.map((service) => [service, [ports[service]]])) as unknown as PlatformContext['replicaPorts'];
  return { settings: readPlatformSettings(environment, args), secrets, ports, replicaPorts, databaseUrl: (name) => `postgresql://127.0.0.1/${name}` };
}

describe('settings', () => {
  it('have a default each; BASE_URL follows PORT', () => {
    expect(context().settings).toMatchObject({ port: 8080, baseUrl: 'http://localhost:8080', adminEmail: 'admin@example.com', corsOrigins: '*', demo: true });
    expect(context({ PORT: '9000' }).settings.baseUrl).toBe('http://localhost:9000');
    expect(context({}, ['--no-demo']).settings.demo).toBe(false);
  });

  it('say what is wrong with the address of an engine, and never the address', () => {
    const bad = { POSTGRES_URL: 'http://secret', MONGO_URL: 'mongodb://secret', KAFKA_BROKERS: 'secret', S3_ENDPOINT: 'secret', REPLICAS: '0' };
    expect(() => context(bad)).toThrow(/POSTGRES_URL: must be[^]*MONGO_URL: must be[^]*KAFKA_BROKERS: must be[^]*S3_ENDPOINT: must be[^]*REPLICAS/);
    expect(() => context(bad)).not.toThrow(/secret/);
    expect(() => context({ POSTGRES_URL: 'postgresql://db/postgres', POSTGRES_PORT: '5432' })).toThrow(/POSTGRES_PORT: is the port of the embedded server/);
    expect(() => context({ POSTGRES_DATABASE_PREFIX: 'a"b' })).toThrow('POSTGRES_DATABASE_PREFIX: must be lower-case letters');
  });

  it('name every bad one, and an option that does not exist', () => {
    expect(() => context({ PORT: 'x', ADMIN_EMAIL: 'y' })).toThrow(/PORT[^]*ADMIN_EMAIL/);
    expect(() => context({}, ['--no-dmeo'])).toThrow('Unknown option --no-dmeo. There is: --no-demo, --verbose, --accept-newer-data');
  });
});

describe('the environment of a service', () => {
  it('lets identity providers be on this machine only when it is told so', () => {
    expect(serviceEnvironment('passportsvc', context(), 4000)['UPSTREAM_ALLOW_PRIVATE']).toBe('false');
    expect(serviceEnvironment('passportsvc', context({ UPSTREAM_ALLOW_PRIVATE: 'true' }), 4000)['UPSTREAM_ALLOW_PRIVATE']).toBe('true');
  });

  it('has its own port and database, the addresses of all, and the secrets', () => {
    const environment = serviceEnvironment('filesvc', context({ DATA_DIR: '/data' }), 4002);
    expect(environment).toMatchObject({
      PORT: '4002', HOST: '127.0.0.1', BASE_URL: 'http://localhost:8080', DATABASE_URL: 'postgresql://127.0.0.1/filesvc', EVENTS_DATABASE_URL: 'postgresql://127.0.0.1/events',
      PASSPORT_URL: 'http://127.0.0.1:4000', ITEMSVC_URL: 'http://127.0.0.1:4001', NOTIFICATIONSVC_URL: 'http://127.0.0.1:4006', SERVICE_TOKEN: 'a-token-of-services', BLOBS_DIR: '/data/blobs', MAIL_DIR: '/data/mail', ADMIN_PASSWORD: 'a-password',
    });
  });

  it('has aggregations sort on the disk of all data, unless it is told another', () => {
    const folder = (variables: NodeJS.ProcessEnv) => serviceEnvironment('itemsvc', context({ DATA_DIR: '/data', ...variables }), 4001)['SORT_DIR'];
    expect([folder({}), folder({ SORT_DIR: '/elsewhere' })]).toEqual(['/data/sorts', '/elsewhere']);
  });

  it('has models read on the disk of all data, unless it is told another', () => {
    const folder = (variables: NodeJS.ProcessEnv) => serviceEnvironment('datasourcesvc', context({ DATA_DIR: '/data', ...variables }), 4001)['IFC_DIR'];
    expect([folder({}), folder({ IFC_DIR: '/elsewhere' })]).toEqual(['/data/models', '/elsewhere']);
  });

  it("passes a service's own settings on, but nothing stands above what the runner decides", () => {
    const environment = serviceEnvironment('passportsvc', context({ SIGN_UP: 'off', DATABASE_URL: 'theirs', DATABASE_URL_FILE: '/theirs' }), 4000);
    expect(environment.SIGN_UP).toBe('off');
    expect(environment.DATABASE_URL).toBe('postgresql://127.0.0.1/passportsvc');
    expect(environment.DATABASE_URL_FILE).toBeUndefined();
  });

  it('lets the gateway hear this machine alone, unless HOST says more', () => {
    const hostOf = (environment: NodeJS.ProcessEnv) => readGatewaySettings(processTable(context(environment)).find(({ name }) => name === 'gateway')?.env ?? {}).host;
    expect([hostOf({}), hostOf({ HOST: '0.0.0.0' })]).toEqual(['127.0.0.1', '0.0.0.0']);
  });

  it('lets the gateway know every service', () => {
    const gateway = processTable(context()).find((spec) => spec.name === 'gateway');
    expect(readGatewaySettings(gateway?.env ?? {})).toMatchObject({ port: 8080, upstreams: { itemsvc: 'http://127.0.0.1:4001', passportsvc: 'http://127.0.0.1:4000' } });
  });
});

describe('engines outside', () => {
  const engines = {
    POSTGRES_URL: 'postgresql://admin:secret@db/postgres', MONGO_URL: 'mongodb://db/items', KAFKA_BROKERS: 'one:9092,two:9092', KAFKA_SASL_PASSWORD: 'secret',
    S3_ENDPOINT: 'https://s3', S3_SECRET_KEY_FILE: '/run/s3',
  };
  const environment = (service: ServiceName, given: NodeJS.ProcessEnv = engines) => serviceEnvironment(service, context(given), 4000);
  const enginesIn = (env: NodeJS.ProcessEnv) => Object.keys(env).filter((name) => /^(POSTGRES|MONGO|KAFKA|S3)_/.test(name)).sort();

  it('have their settings handed to the services that know them, and to nobody else', () => {
    expect(enginesIn(environment('itemsvc'))).toEqual(['KAFKA_BROKERS', 'KAFKA_SASL_PASSWORD', 'MONGO_URL']);
    expect(enginesIn(environment('filesvc'))).toEqual(['KAFKA_BROKERS', 'KAFKA_SASL_PASSWORD', 'S3_ENDPOINT', 'S3_SECRET_KEY_FILE']);
    expect(enginesIn(environment('aisvc'))).toEqual(['KAFKA_BROKERS', 'KAFKA_SASL_PASSWORD']);
    const gateway = processTable(context(engines)).find((spec) => spec.name === 'gateway');
    expect(enginesIn(gateway?.env ?? {})).toEqual([]);
  });

  it('take the place of what this machine would keep: a service is given one of the two', () => {
    expect(environment('itemsvc')).not.toHaveProperty('DATABASE_URL');
    expect(environment('itemsvc')).not.toHaveProperty('EVENTS_DATABASE_URL');
    expect(environment('filesvc')).not.toHaveProperty('BLOBS_DIR');
    expect(environment('filesvc')).toMatchObject({ DATABASE_URL: 'postgresql://127.0.0.1/filesvc' });
    expect(databasesOf(context(engines).settings)).toEqual(SERVICES.filter((service) => service !== 'itemsvc'));
    expect(databasesOf(context().settings)).toEqual([...SERVICES, 'events']);
  });

  it('come one by one', () => {
    expect(environment('itemsvc', { KAFKA_BROKERS: 'one:9092' })).toHaveProperty('DATABASE_URL');
    expect(environment('itemsvc', { MONGO_URL: 'mongodb://db/items' })).toHaveProperty('EVENTS_DATABASE_URL');
    expect(environment('filesvc', { MONGO_URL: 'mongodb://db/items' })).toHaveProperty('BLOBS_DIR');
  });

  it('give a setting of the address on this machine no way in', () => {
    expect(environment('itemsvc', { ...engines, DATABASE_URL_FILE: '/theirs', EVENTS_DATABASE_URL: 'theirs' })).not.toHaveProperty('DATABASE_URL_FILE');
    expect(environment('itemsvc', { ...engines, EVENTS_DATABASE_URL: 'theirs' })).not.toHaveProperty('EVENTS_DATABASE_URL');
  });
});

describe('replicas', () => {
  it('are processes of their own ports; all reach the service at the one of the balancer', async () => {
    const { ports: chosen, replicaPorts } = await chooseServicePorts(2);
    expect(new Set([...Object.values(chosen), ...Object.values(replicaPorts).flat()]).size).toBe(21);
    const specs = processTable({ ...context(), ports: chosen, replicaPorts });
    expect(specs.map(({ name }) => name)).toEqual([...SERVICES.flatMap((service) => [`${service}-1`, `${service}-2`]), 'gateway']);
    const second = specs.find(({ name }) => name === 'itemsvc-2');
    expect(second).toMatchObject({ readyUrl: `http://127.0.0.1:${replicaPorts.itemsvc[1]}`, env: { PORT: String(replicaPorts.itemsvc[1]), ITEMSVC_URL: `http://127.0.0.1:${chosen.itemsvc}` } });
  });

  it('leave a service that has one process without anything between', async () => {
    const { ports: chosen, replicaPorts } = await chooseServicePorts(1);
    expect(replicaPorts.filesvc).toEqual([chosen.filesvc]);
  });
});
