import { join } from 'node:path';
import { SERVICES, type ServiceName } from '@twinyard/conventions';
import type { PlatformSettings } from './config';
import { addressVariable } from './gateway/config';
import type { KeptSecrets } from './kept-secrets';
import type { ServicePorts } from './ports';
import type { ProcessSpec } from './supervised-process';

const EVENTS_DATABASE = 'events';

/** Each service has one of its own, and all share that of the events; not those whose place another engine takes. */
export function databasesOf({ engines }: PlatformSettings): string[] {
  const ofServices = SERVICES.filter((service) => service !== 'itemsvc' || !engines.hasMongo);
  return engines.hasKafka ? ofServices : [...ofServices, EVENTS_DATABASE];
}

export interface PlatformContext extends ServicePorts {
  readonly settings: PlatformSettings;
  readonly secrets: KeptSecrets;
  readonly databaseUrl: (name: string) => string;
}

/** Compiled files lie beside this one: `dist/tools/platform` and `dist/apps`. */
const dist = join(__dirname, '..', '..');

export function processTable(context: PlatformContext): ProcessSpec[] {
  return [...SERVICES.flatMap((service) => serviceSpecs(service, context)), gatewaySpec(context)];
}

/**
 * Every client asks passportsvc for its tokens: a seventh of that time went into collections. A search of itemsvc makes megabytes: near a
 * third did. Of small uploads of filesvc a seventh did too; as much as theirs would show in what it grows by while large ones pass.
 */
const NURSERIES: Partial<Record<ServiceName, number>> = { passportsvc: 16, itemsvc: 16, filesvc: 8, datasourcesvc: 8 };

/** One alone is named as its service, `itemsvc`; of several each has its number, `itemsvc-1`. */
function serviceSpecs(service: ServiceName, context: PlatformContext): ProcessSpec[] {
  const [ports, nurseryMb] = [context.replicaPorts[service], NURSERIES[service]];
  return ports.map((port, index) => ({
    name: ports.length === 1 ? service : `${service}-${index + 1}`,
    file: join(dist, 'apps', service, 'src', 'main.js'),
    env: serviceEnvironment(service, context, port),
    readyUrl: `http://127.0.0.1:${port}`,
    ...(nurseryMb !== undefined && { nurseryMb }),
  }));
}

function gatewaySpec(context: PlatformContext): ProcessSpec {
  const { settings } = context;
  const own = { PORT: String(settings.port), HOST: settings.host, BASE_URL: settings.baseUrl, DATA_DIR: settings.dataDir, DRAIN_SECONDS: drainSecondsOf(context), ...addresses(context) };
  return { name: 'gateway', file: join(dist, 'tools', 'platform', 'gateway', 'main.js'), env: over(withoutEngines(settings.inherited, []), own), readyUrl: `http://127.0.0.1:${settings.port}` };
}

export function serviceEnvironment(service: ServiceName, context: PlatformContext, port: number): NodeJS.ProcessEnv {
  const { settings, secrets } = context;
  const { dataDir } = settings;
  return over(withoutEngines(settings.inherited, ENGINES_OF[service] ?? ['KAFKA_']), {
    PORT: String(port),
    HOST: '127.0.0.1',
    BASE_URL: settings.baseUrl,
    DRAIN_SECONDS: drainSecondsOf(context),
    ...storesOf(service, context),
    ...addresses(context),
    SERVICE_TOKEN: secrets.serviceToken,
    KEY_ENCRYPTION_KEY: secrets.keyEncryptionKey,
    CORS_ORIGINS: settings.corsOrigins,
    UPSTREAM_ALLOW_PRIVATE: settings.upstreamAllowPrivate,
    DATA_DIR: dataDir,
    MAIL_DIR: join(dataDir, 'mail'),
    // What the system has for temporary files may be memory.
    SORT_DIR: settings.inherited['SORT_DIR'] ?? join(dataDir, 'sorts'),
    IFC_DIR: settings.inherited['IFC_DIR'] ?? join(dataDir, 'models'),
    ADMIN_EMAIL: settings.adminEmail,
    ADMIN_PASSWORD: secrets.adminPassword,
  });
}

/** On one machine all stop together, and nobody waits to hear of it. */
const drainSecondsOf = ({ settings }: PlatformContext) => settings.inherited['DRAIN_SECONDS'] ?? '0';

/** Settings of the engines by their first letters; a service gets those that it knows, since some of them are passwords. */
const ENGINE_SETTINGS = ['KAFKA_', 'MONGO_', 'S3_', 'POSTGRES_'];
const ENGINES_OF: Partial<Record<ServiceName, readonly string[]>> = { itemsvc: ['KAFKA_', 'MONGO_'], filesvc: ['KAFKA_', 'S3_'] };

function withoutEngines(inherited: NodeJS.ProcessEnv, known: readonly string[]): NodeJS.ProcessEnv {
  const unknown = ENGINE_SETTINGS.filter((prefix) => !known.includes(prefix));
  return Object.fromEntries(Object.entries(inherited).filter(([name]) => !unknown.some((prefix) => name.startsWith(prefix))));
}

/** A store that an engine outside keeps has no address on this machine: a service takes exactly one of the two. */
function storesOf(service: ServiceName, { settings, databaseUrl }: PlatformContext): Record<string, string | undefined> {
  const { hasKafka, hasMongo, hasS3 } = settings.engines;
  return {
    DATABASE_URL: service === 'itemsvc' && hasMongo ? undefined : databaseUrl(service),
    EVENTS_DATABASE_URL: hasKafka ? undefined : databaseUrl(EVENTS_DATABASE),
    BLOBS_DIR: service === 'filesvc' && hasS3 ? undefined : join(settings.dataDir, 'blobs'),
  };
}

function addresses(context: PlatformContext): Record<string, string> {
  return Object.fromEntries(SERVICES.map((service) => [addressVariable(service), addressOf(service, context)]));
}

const addressOf = (service: ServiceName, { ports }: PlatformContext) => `http://127.0.0.1:${ports[service]}`;

/**
 * What the runner decides stands above what it was given; a `NAME_FILE` it was given would win over `NAME`, so that goes.
 * What is `undefined` is not there.
 */
function over(inherited: NodeJS.ProcessEnv, own: Record<string, string | undefined>): NodeJS.ProcessEnv {
  const kept = Object.entries(inherited).filter(([name]) => !(name.replace(/_FILE$/, '') in own));
  return { ...Object.fromEntries(kept), ...Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined)) };
}
