import { Module, type Type } from '@nestjs/common';
import type { TestDatabase } from '@twinyard/testing';
import { baseSettings, defineService, loadSettings, SqlModule } from '../src';

@Module({})
class ThingsModule {}

/** A service of nothing but what every service has, and these controllers. */
export const thingsService = (controllers: Type[]) => defineService({
  name: 'aisvc', settings: baseSettings, openApi: { title: 'Test', description: '' },
  module: (settings) => ({ module: ThingsModule, imports: [SqlModule.forRoot({ url: settings.DATABASE_URL, entities: [], migrations: [] })], controllers }),
});

export const thingsEnvironment = (database: TestDatabase): Record<string, string> => ({
  PORT: '0', HOST: '127.0.0.1', BASE_URL: 'http://twinyard.test/', DATABASE_URL: database.url, EVENTS_DATABASE_URL: database.url, PASSPORT_URL: 'http://127.0.0.1:1',
  SERVICE_TOKEN: 'service-token-of-the-tests', LOG_LEVEL: 'fatal', RATE_LIMIT_PER_MINUTE: '60',
});

export const thingsSettings = (database: TestDatabase, more: Readonly<Record<string, string>> = {}) => loadSettings(baseSettings, { ...thingsEnvironment(database), ...more });
