import { type EngineName, EngineHolder, type EngineSettings, SHARED_ENGINES, type SharedEngines } from './engines';
import { testRun } from './test-run';

/** The settings that, given from outside, name an engine that this run then uses instead of starting one. */
const FROM_OUTSIDE: Partial<Record<EngineName, readonly string[]>> = {
  kafka: ['KAFKA_BROKERS', 'KAFKA_SSL', 'KAFKA_SASL_MECHANISM', 'KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD'],
  versitygw: ['S3_ENDPOINT', 'S3_ACCESS_KEY', 'S3_SECRET_KEY', 'S3_REGION', 'S3_PATH_STYLE'],
  mongo: ['MONGO_URL', 'MONGO_ALLOW_STANDALONE'],
  postgres: ['POSTGRES_URL'],
};

const ALL: readonly EngineName[] = ['kafka', 'versitygw', 'minio', 'mongo', 'postgres'];
/** Why a run does without an engine that it could have. */
const leftOut = (): SharedEngines['missing'] => (process.env.ENGINES_ALL === '1' ? {} : { minio: 'only with ENGINES_ALL=1' });

/** One engine of each kind for the whole run. Workers inherit the environment and so find them. */
export default async function startSharedEngines(): Promise<void> {
  const given = Object.fromEntries(ALL.flatMap((name) => {
    const settings = settingsFromOutside(name);
    return settings ? [[name, settings] as const] : [];
  })) as SharedEngines['settings'];
  const outside = Object.keys(given) as EngineName[];
  const without = leftOut();
  const holder = await EngineHolder.start(ALL.filter((name) => !outside.includes(name) && without[name] === undefined));
  testRun.engines = holder;
  const shared: SharedEngines = { settings: { ...holder.settings, ...given }, missing: { ...holder.missing, ...without }, outside };
  process.env[SHARED_ENGINES] = JSON.stringify(shared);
  const { POSTGRES_URL } = shared.settings.postgres ?? {};
  if (POSTGRES_URL) process.env.TEST_POSTGRES_URL = POSTGRES_URL; // createTestDatabase
}

function settingsFromOutside(name: EngineName): EngineSettings | undefined {
  const [main = '', ...others] = FROM_OUTSIDE[name] ?? [];
  if (!process.env[main]) return undefined;
  return Object.fromEntries([main, ...others].flatMap((setting) => (process.env[setting] === undefined ? [] : [[setting, process.env[setting]]])));
}
