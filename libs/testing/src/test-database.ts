import { randomBytes } from 'node:crypto';
import { Client } from 'pg';

export interface TestDatabase {
  readonly name: string;
  readonly url: string;
  /** Sends everybody away and removes it. */
  drop(): Promise<void>;
}

/**
 * What a new database begins with, made once in a run and copied then: the tables of a service, whose migrations cost more than
 * the copy. On a server from outside, which may have an old one, it begins empty.
 */
export interface DatabaseTemplate {
  /** Of the service. */
  readonly name: string;
  /** Leaves no connection open. */
  fill(url: string): Promise<void>;
}

/** Any number, but for that of the services' migrations. */
const TEMPLATE_LOCK = 727_002;
const filled = new Set<string>();

/** A new database, empty without a template, on the run's server (`TEST_POSTGRES_URL`, set by Jest's global setup or by whoever runs the tests). */
export async function createTestDatabase(template?: DatabaseTemplate): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  const origin = template === undefined || process.env.TEST_POSTGRES_TEMPLATES === undefined ? 'template1' : await filledTemplate(template);
  // Copying files is a third of the work of copying through the log, and nothing here outlives a crash.
  await onServer((client) => client.query(`create database ${name} template ${origin} strategy file_copy`));
  return { name, url: urlOf(name), drop: () => onServer((client) => client.query(`drop database if exists ${name} with (force)`)) };
}

/** Its name. Several workers want it at once: the first makes it, under another name until it is whole. */
async function filledTemplate({ name, fill }: DatabaseTemplate): Promise<string> {
  const template = `template_${name}`;
  if (filled.has(template)) return template;
  await onServer(async (client) => {
    await client.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK]);
    const { rowCount } = await client.query('select from pg_database where datname = $1', [template]);
    if (rowCount !== 0) return;
    await client.query(`drop database if exists ${template}_begun with (force)`);
    await client.query(`create database ${template}_begun`);
    await fill(urlOf(`${template}_begun`));
    await client.query(`alter database ${template}_begun rename to ${template}`);
  });
  filled.add(template);
  return template;
}

async function onServer<T>(work: (client: Client) => Promise<T>): Promise<void> {
  const client = new Client({ connectionString: serverUrl() });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

function urlOf(database: string): string {
  const url = new URL(serverUrl());
  url.pathname = `/${database}`;
  return url.href;
}

function serverUrl(): string {
  const url = process.env.TEST_POSTGRES_URL;
  if (!url) throw new Error('TEST_POSTGRES_URL is missing: Jest sets it in its global setup (jest.config.mjs).');
  return url;
}
