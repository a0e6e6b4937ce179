import { resolve } from 'node:path';
import { loadSettings } from '@twinyard/service-kit/process';
import { z } from 'zod';

const port = z.coerce.number().int().min(1).max(65_535);
const brokers = z.string().regex(/^[^\s,/]+:\d+(,[^\s,/]+:\d+)*$/, 'must be host:port, several with commas between them');

/** More than these on one machine is a mistake in the number. */
const MAX_REPLICAS = 9;

/** What the whole platform on one machine takes (contract 0.7); settings of single services are passed on to them as they are. */
export const platformSettings = z.object({
  PORT: port.default(8080).describe('Port of the gateway'),
  HOST: z.string().default('127.0.0.1').describe('Address that the gateway listens on; `0.0.0.0` for callers on other machines'),
  BASE_URL: z.url().optional().describe('Public origin of the platform; `http://localhost:PORT` by default'),
  DATA_DIR: z.string().default('.data').describe('Folder of everything that is kept'),
  POSTGRES_PORT: port.optional().describe('Port of the embedded PostgreSQL on 127.0.0.1; a free one by default'),
  POSTGRES_URL: z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgresql:// address' }).optional().describe('A PostgreSQL server outside, as a user that may make databases; then none is started'),
  POSTGRES_DATABASE_PREFIX: z.string().regex(/^[a-z_][a-z0-9_]{0,39}$/, 'must be lower-case letters, digits and _').default('').describe('Before the name of each database on that server'),
  MONGO_URL: z.string().regex(/^mongodb(\+srv)?:\/\/[^/]+\/[^/?]+/, 'must be a mongodb:// address with a database in its path').optional().describe('MongoDB for itemsvc, in the place of PostgreSQL'),
  KAFKA_BROKERS: brokers.optional().describe('Kafka for the events, in the place of PostgreSQL: `host:port`, several with commas between them'),
  S3_ENDPOINT: z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' }).optional().describe('S3 for the bytes of files, in the place of a folder; with the other `S3_` settings of filesvc'),
  REPLICAS: z.coerce.number().int().min(1).max(MAX_REPLICAS).default(1).describe('Processes of each service'),
  ADMIN_EMAIL: z.email().default('admin@example.com').describe('E-mail address of the platform manager'),
  ADMIN_PASSWORD: z.string().min(8).optional().describe('Password of the platform manager at the first start; made and printed once by default'),
  SERVICE_TOKEN: z.string().min(16).optional().describe('Secret by which the services know each other; made and kept by default'),
  KEY_ENCRYPTION_KEY: z.string().optional().describe('32 bytes in base64 that encrypt signing keys, secrets and encrypted properties at rest; made and kept by default'),
  CORS_ORIGINS: z.string().default('*').describe('Origins that may call from browsers'),
  UPSTREAM_ALLOW_PRIVATE: z.enum(['true', 'false']).default('false').describe('Whether identity providers may be at private addresses, and on this machine without TLS'),
}).refine((values) => values.POSTGRES_URL === undefined || values.POSTGRES_PORT === undefined, {
  path: ['POSTGRES_PORT'], error: 'is the port of the embedded server, which is not started where there is POSTGRES_URL',
});

/** Engines that run somewhere else; what is missing here, the platform keeps on this machine. */
export interface OutsideEngines {
  /** Address of a PostgreSQL server, of a user that may make databases. */
  readonly postgresUrl?: string;
  /** Before the name of each database, where several platforms share a server. */
  readonly databasePrefix: string;
  readonly hasMongo: boolean;
  readonly hasKafka: boolean;
  readonly hasS3: boolean;
}

export interface PlatformSettings {
  readonly port: number;
  readonly host: string;
  readonly baseUrl: string;
  readonly dataDir: string;
  readonly postgresPort?: number;
  readonly engines: OutsideEngines;
  /** Processes of each service. */
  readonly replicas: number;
  readonly adminEmail: string;
  readonly adminPassword?: string;
  readonly serviceToken?: string;
  readonly keyEncryptionKey?: string;
  readonly corsOrigins: string;
  readonly upstreamAllowPrivate: string;
  readonly demo: boolean;
  /** Every line of the log is printed, and not only what somebody has to know. */
  readonly verbose: boolean;
  /** Data that a newer version has worked with is used all the same. */
  readonly acceptNewerData: boolean;
  /** What the runner was given: services read their own settings from it. */
  readonly inherited: NodeJS.ProcessEnv;
}

const FLAGS = new Set(['--no-demo', '--verbose', '--accept-newer-data']);

export function readPlatformSettings(environment: NodeJS.ProcessEnv, args: readonly string[]): PlatformSettings {
  const unknown = args.find((arg) => !FLAGS.has(arg));
  if (unknown !== undefined) throw new Error(`Unknown option ${unknown}. There is: ${[...FLAGS].join(', ')}`);
  const values = loadSettings(platformSettings, environment);
  return {
    port: values.PORT,
    host: values.HOST,
    baseUrl: (values.BASE_URL ?? `http://localhost:${values.PORT}`).replace(/\/+$/, ''),
    dataDir: resolve(values.DATA_DIR),
    ...(values.POSTGRES_PORT !== undefined && { postgresPort: values.POSTGRES_PORT }),
    engines: enginesOf(values),
    replicas: values.REPLICAS,
    adminEmail: values.ADMIN_EMAIL,
    ...(values.ADMIN_PASSWORD !== undefined && { adminPassword: values.ADMIN_PASSWORD }),
    ...(values.SERVICE_TOKEN !== undefined && { serviceToken: values.SERVICE_TOKEN }),
    ...(values.KEY_ENCRYPTION_KEY !== undefined && { keyEncryptionKey: values.KEY_ENCRYPTION_KEY }),
    corsOrigins: values.CORS_ORIGINS,
    upstreamAllowPrivate: values.UPSTREAM_ALLOW_PRIVATE,
    demo: !args.includes('--no-demo'),
    verbose: args.includes('--verbose'),
    acceptNewerData: args.includes('--accept-newer-data'),
    inherited: environment,
  };
}

function enginesOf(values: z.infer<typeof platformSettings>): OutsideEngines {
  return {
    ...(values.POSTGRES_URL !== undefined && { postgresUrl: values.POSTGRES_URL }),
    databasePrefix: values.POSTGRES_DATABASE_PREFIX,
    hasMongo: values.MONGO_URL !== undefined,
    hasKafka: values.KAFKA_BROKERS !== undefined,
    hasS3: values.S3_ENDPOINT !== undefined,
  };
}
