import { resolve } from 'node:path';
import { loadSettings } from '@twinyard/service-kit/process';
import { z } from 'zod';

const port = z.coerce.number().int().min(1).max(65_535);

/** What the whole platform on one machine takes (contract 0.7); settings of single services are passed on to them as they are. */
const platformSettings = z.object({
  PORT: port.default(8080),
  HOST: z.string().default('0.0.0.0'),
  BASE_URL: z.url().optional(),
  DATA_DIR: z.string().default('.data'),
  POSTGRES_PORT: port.optional(),
  ADMIN_EMAIL: z.email().default('admin@example.com'),
  ADMIN_PASSWORD: z.string().min(8).optional(),
  SERVICE_TOKEN: z.string().min(16).optional(),
  KEY_ENCRYPTION_KEY: z.string().optional(),
  CORS_ORIGINS: z.string().default('*'),
});

export interface PlatformSettings {
  readonly port: number;
  readonly host: string;
  readonly baseUrl: string;
  readonly dataDir: string;
  readonly postgresPort?: number;
  readonly adminEmail: string;
  readonly adminPassword?: string;
  readonly serviceToken?: string;
  readonly keyEncryptionKey?: string;
  readonly corsOrigins: string;
  readonly demo: boolean;
  /** What the runner was given: services read their own settings from it. */
  readonly inherited: NodeJS.ProcessEnv;
}

const FLAGS = new Set(['--no-demo']);

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
    adminEmail: values.ADMIN_EMAIL,
    ...(values.ADMIN_PASSWORD !== undefined && { adminPassword: values.ADMIN_PASSWORD }),
    ...(values.SERVICE_TOKEN !== undefined && { serviceToken: values.SERVICE_TOKEN }),
    ...(values.KEY_ENCRYPTION_KEY !== undefined && { keyEncryptionKey: values.KEY_ENCRYPTION_KEY }),
    corsOrigins: values.CORS_ORIGINS,
    demo: !args.includes('--no-demo'),
    inherited: environment,
  };
}
