import { randomBytes } from 'node:crypto';
import { engineSettings, type EngineName, type OwnEngines } from '@twinyard/testing';
import { Client } from 'pg';
import { RunningPlatform } from './running-platform';

/** What the platform keeps its data in when nothing is kept on this machine but secrets. */
export const ENGINES: readonly EngineName[] = ['postgres', 'mongo', 'kafka', 'versitygw'];

/** The settings of a platform on the engines of this run, or on a test's own, apart from every other platform there. */
function settingsOf(own: OwnEngines | undefined): NodeJS.ProcessEnv & { readonly POSTGRES_URL: string; readonly POSTGRES_DATABASE_PREFIX: string } {
  const name = `t${randomBytes(4).toString('hex')}`;
  const of = (engine: EngineName) => own?.settingsOf(engine) ?? engineSettings(engine);
  const mongo = new URL(String(of('mongo')['MONGO_URL']));
  mongo.pathname = `/${name}`;
  return {
    ...of('versitygw'), S3_BUCKET: `twinyard-${name}`,
    ...of('kafka'), KAFKA_TOPIC_PREFIX: `${name}.`,
    ...of('mongo'), MONGO_URL: mongo.href,
    POSTGRES_URL: String(of('postgres')['POSTGRES_URL']), POSTGRES_DATABASE_PREFIX: `${name}_`,
  };
}

/** The whole platform with its data in engines. */
export async function startOnEngines(environment: NodeJS.ProcessEnv = {}, own?: OwnEngines): Promise<RunningPlatform> {
  return RunningPlatform.start({ ...settingsOf(own), ...environment });
}

/** Stops the platform and removes what it made in the PostgreSQL of the run; the other engines end with the run. */
export async function removeFromEngines(platform: RunningPlatform | undefined): Promise<void> {
  await platform?.remove();
  const { POSTGRES_URL: url, POSTGRES_DATABASE_PREFIX: prefix } = platform?.environment ?? {};
  if (url === undefined || prefix === undefined) return;
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ datname: string }>('select datname from pg_database where starts_with(datname, $1)', [prefix]);
    for (const { datname } of rows) await client.query(`drop database ${client.escapeIdentifier(datname)} with (force)`);
  } finally {
    await client.end();
  }
}
