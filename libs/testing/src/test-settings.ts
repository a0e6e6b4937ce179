import type { FakePassport } from './fake-passport';
import type { TestDatabase } from './test-database';

/** The settings that every service has, for one service under test; its own are added by its specs. */
export function testSettings(passport: FakePassport, database: TestDatabase, events: TestDatabase) {
  return {
    PORT: 0,
    HOST: '127.0.0.1',
    BASE_URL: passport.baseUrl,
    DATABASE_URL: database.url,
    EVENTS_DATABASE_URL: events.url,
    KAFKA_SSL: 'false' as const,
    KAFKA_PARTITIONS: 6,
    KAFKA_REPLICATION_FACTOR: 1,
    KAFKA_TOPIC_PREFIX: '',
    PASSPORT_URL: passport.url,
    SERVICE_TOKEN: passport.serviceToken,
    CORS_ORIGINS: '',
    MIGRATE_ON_START: true,
    LOG_LEVEL: 'fatal' as const,
    PURGE_SETTLE_SECONDS: 0,
    RATE_LIMIT_PER_MINUTE: 1_000_000,
    HEAD_SECONDS: 15,
    LINE_SILENCE_SECONDS: 30,
    LINE_MIN_BYTES_PER_SECOND: 100,
    SMALL_BODY_SECONDS: 120,
    ANSWER_MAX_BYTES: 64 * 1024 ** 2,
    BODY_MEMORY_MB: 24,
    REQUESTS_PER_CALLER: 1_024,
    DRAIN_SECONDS: 0,
    REQUEST_PLACES: 10,
    TENANT_SHARE: 0.6,
    REQUEST_WAIT_SECONDS: 60,
    REQUESTS_WAITING: 1_000,
    JOBS_PER_NAMESPACE: 16,
    JOBS_AT_ONCE: 64,
    JOBS_KEEP_DEAD_DAYS: 14,
  };
}
