import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createDataSource, createService, loadSettings, migrate } from '@twinyard/service-kit';
import { createTestDatabase, type DatabaseTemplate, freePort, type TestDatabase } from '@twinyard/testing';
import { DataSource } from 'typeorm';
import { type PassportSettings, passportSettings } from '../src/config';
import { migrations } from '../src/migrations';
import { service } from '../src/service';
import { EXPIRY_SWEEP } from '../src/sessions/expiry-sweep';
import { SigningKeysSweep } from '../src/signing-keys/signing-keys-sweep';

export const ADMIN = { email: 'admin@example.com', password: 'correct horse battery' };
export const REDIRECT_URI = 'http://127.0.0.1:9/callback';
export const BOOTSTRAP_CLIENT = { id: 'robot', secret: 'robot-secret-of-the-tests' };

export interface PassportApp {
  readonly app: NestFastifyApplication;
  readonly baseUrl: string;
  readonly settings: PassportSettings;
  readonly database: TestDatabase;
  stop(): Promise<void>;
}

/** Another replica of a running service: the same settings on the same database, at an address of its own. */
export async function startReplica(of: PassportApp): Promise<{ readonly url: string; readonly app: NestFastifyApplication; stop(): Promise<void> }> {
  const port = await freePort();
  const app = await createService(service, { ...of.settings, PORT: port });
  await app.listen(port, '127.0.0.1');
  return { url: `http://127.0.0.1:${port}`, app, stop: () => app.close() };
}

/** Its tables, and nothing in them. */
const TABLES: DatabaseTemplate = {
  name: 'passportsvc',
  fill: async (url) => {
    const dataSource = await createDataSource({ url, entities: [], migrations, poolSize: 2 }).initialize();
    await migrate(dataSource).finally(() => dataSource.destroy());
  },
};

/** From now on it sweeps when a test says so. By itself, every half minute, it asks the database in between, and orders keys by today's date. */
export async function holdSweeps(app: NestFastifyApplication): Promise<void> {
  await app.get(SigningKeysSweep, { strict: false }).beforeApplicationShutdown();
  await app.get(DataSource).query('DELETE FROM job WHERE kind = $1', [EXPIRY_SWEEP]);
}

/** The whole service on a database of its own, listening where its BASE_URL says. */
export async function startPassport(overrides: Partial<PassportSettings> = {}): Promise<PassportApp> {
  const database = await createTestDatabase(TABLES);
  const port = await freePort();
  const settings = { ...settingsFor(port, database), ...overrides };
  const app = await createService(service, settings);
  await app.listen(port, '127.0.0.1');
  return { app, baseUrl: settings.BASE_URL, settings, database, stop: async () => { await app.close(); await database.drop(); rmSync(settings.MAIL_DIR, { recursive: true, force: true }); } };
}

/** Read as a process reads its environment, so that what is not named here has its default. */
function settingsFor(port: number, database: TestDatabase): PassportSettings {
  const baseUrl = `http://127.0.0.1:${port}`;
  return loadSettings(passportSettings, {
    PORT: String(port), HOST: '127.0.0.1', BASE_URL: baseUrl, DATABASE_URL: database.url, EVENTS_DATABASE_URL: database.url, PASSPORT_URL: baseUrl,
    SERVICE_TOKEN: 'service-token-of-the-tests', LOG_LEVEL: 'fatal', RATE_LIMIT_PER_MINUTE: '1000000', PURGE_SETTLE_SECONDS: '0',
    ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password, CONSOLE_REDIRECT_URIS: REDIRECT_URI,
    KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    BOOTSTRAP_CLIENT_ID: BOOTSTRAP_CLIENT.id, BOOTSTRAP_CLIENT_SECRET: BOOTSTRAP_CLIENT.secret, BOOTSTRAP_CLIENT_SCOPES: 'read write scim',
    SIGN_UPS_PER_MINUTE: '1000', MAIL_DIR: mkdtempSync(join(tmpdir(), 'twinyard-mail-')),
  });
}
