import { join } from 'node:path';
import { SERVICES, type ServiceName } from '@twinyard/conventions';
import type { PlatformSettings } from './config';
import { addressVariable } from './gateway/config';
import type { KeptSecrets } from './kept-secrets';
import type { ProcessSpec } from './supervised-process';

const EVENTS_DATABASE = 'events';
export const DATABASES = [...SERVICES, EVENTS_DATABASE];

export interface PlatformContext {
  readonly settings: PlatformSettings;
  readonly secrets: KeptSecrets;
  /** Port of each service on 127.0.0.1, chosen anew at every start. */
  readonly ports: Readonly<Record<ServiceName, number>>;
  readonly databaseUrl: (name: string) => string;
}

/** Compiled files lie beside this one: `dist/tools/platform` and `dist/apps`. */
const dist = join(__dirname, '..', '..');

export function processTable(context: PlatformContext): ProcessSpec[] {
  return [...SERVICES.map((service) => serviceSpec(service, context)), gatewaySpec(context)];
}

function serviceSpec(service: ServiceName, context: PlatformContext): ProcessSpec {
  return {
    name: service,
    file: join(dist, 'apps', service, 'src', 'main.js'),
    env: serviceEnvironment(service, context),
    readyUrl: addressOf(service, context),
  };
}

function gatewaySpec(context: PlatformContext): ProcessSpec {
  const { settings } = context;
  const own = { PORT: String(settings.port), HOST: settings.host, BASE_URL: settings.baseUrl, ...addresses(context) };
  return { name: 'gateway', file: join(dist, 'tools', 'platform', 'gateway', 'main.js'), env: over(settings.inherited, own), readyUrl: `http://127.0.0.1:${settings.port}` };
}

export function serviceEnvironment(service: ServiceName, context: PlatformContext): NodeJS.ProcessEnv {
  const { settings, secrets, databaseUrl } = context;
  const { dataDir } = settings;
  return over(settings.inherited, {
    PORT: String(context.ports[service]),
    HOST: '127.0.0.1',
    BASE_URL: settings.baseUrl,
    DATABASE_URL: databaseUrl(service),
    EVENTS_DATABASE_URL: databaseUrl(EVENTS_DATABASE),
    ...addresses(context),
    SERVICE_TOKEN: secrets.serviceToken,
    KEY_ENCRYPTION_KEY: secrets.keyEncryptionKey,
    CORS_ORIGINS: settings.corsOrigins,
    DATA_DIR: dataDir,
    BLOBS_DIR: join(dataDir, 'blobs'),
    MAIL_DIR: join(dataDir, 'mail'),
    ADMIN_EMAIL: settings.adminEmail,
    ADMIN_PASSWORD: secrets.adminPassword,
  });
}

function addresses(context: PlatformContext): Record<string, string> {
  return Object.fromEntries(SERVICES.map((service) => [addressVariable(service), addressOf(service, context)]));
}

const addressOf = (service: ServiceName, { ports }: PlatformContext) => `http://127.0.0.1:${ports[service]}`;

/** What the runner decides stands above what it was given; a `NAME_FILE` it was given would win over `NAME`, so that goes. */
function over(inherited: NodeJS.ProcessEnv, own: Record<string, string>): NodeJS.ProcessEnv {
  const kept = Object.entries(inherited).filter(([name]) => !(name.replace(/_FILE$/, '') in own));
  return { ...Object.fromEntries(kept), ...own };
}
