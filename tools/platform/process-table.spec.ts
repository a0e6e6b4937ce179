import { SERVICES, type ServiceName } from '@twinyard/conventions';
import { readPlatformSettings } from './config';
import { readGatewaySettings } from './gateway/config';
import { processTable, serviceEnvironment, type PlatformContext } from './process-table';

const ports = Object.fromEntries(SERVICES.map((service, index) => [service, 4000 + index])) as Record<ServiceName, number>;

function context(environment: NodeJS.ProcessEnv = {}, args: string[] = []): PlatformContext {
  const secrets = { adminPassword: 'a-password', isAdminPasswordNew: true, serviceToken: 'a-token-of-services', keyEncryptionKey: 'a-key' };
  return { settings: readPlatformSettings(environment, args), secrets, ports, databaseUrl: (name) => `postgresql://127.0.0.1/${name}` };
}

describe('settings', () => {
  it('have a default each; BASE_URL follows PORT', () => {
    expect(context().settings).toMatchObject({ port: 8080, baseUrl: 'http://localhost:8080', adminEmail: 'admin@example.com', corsOrigins: '*', demo: true });
    expect(context({ PORT: '9000' }).settings.baseUrl).toBe('http://localhost:9000');
    expect(context({}, ['--no-demo']).settings.demo).toBe(false);
  });

  it('name every bad one, and an option that does not exist', () => {
    expect(() => context({ PORT: 'x', ADMIN_EMAIL: 'y' })).toThrow(/PORT[^]*ADMIN_EMAIL/);
    expect(() => context({}, ['--no-dmeo'])).toThrow('Unknown option --no-dmeo. There is: --no-demo');
  });
});

describe('the environment of a service', () => {
  it('has its own port and database, the addresses of all, and the secrets', () => {
    const environment = serviceEnvironment('filesvc', context({ DATA_DIR: '/data' }));
    expect(environment).toMatchObject({
      PORT: '4002', HOST: '127.0.0.1', BASE_URL: 'http://localhost:8080', DATABASE_URL: 'postgresql://127.0.0.1/filesvc', EVENTS_DATABASE_URL: 'postgresql://127.0.0.1/events',
      PASSPORT_URL: 'http://127.0.0.1:4000', ITEMSVC_URL: 'http://127.0.0.1:4001', NOTIFICATIONSVC_URL: 'http://127.0.0.1:4006', SERVICE_TOKEN: 'a-token-of-services', BLOBS_DIR: '/data/blobs', MAIL_DIR: '/data/mail', ADMIN_PASSWORD: 'a-password',
    });
  });

  it("passes a service's own settings on, but nothing stands above what the runner decides", () => {
    const environment = serviceEnvironment('passportsvc', context({ SIGN_UP: 'off', DATABASE_URL: 'theirs', DATABASE_URL_FILE: '/theirs' }));
    expect(environment.SIGN_UP).toBe('off');
    expect(environment.DATABASE_URL).toBe('postgresql://127.0.0.1/passportsvc');
    expect(environment.DATABASE_URL_FILE).toBeUndefined();
  });

  it('lets the gateway know every service', () => {
    const gateway = processTable(context()).find((spec) => spec.name === 'gateway');
    expect(readGatewaySettings(gateway?.env ?? {})).toMatchObject({ port: 8080, upstreams: { itemsvc: 'http://127.0.0.1:4001', passportsvc: 'http://127.0.0.1:4000' } });
  });
});
