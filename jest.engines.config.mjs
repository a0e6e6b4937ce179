import base from './jest.config.mjs';

/** Suites on real engines (`npm run test:engines`): started once for all of them, or given by MONGO_URL, KAFKA_BROKERS, S3_ENDPOINT, POSTGRES_URL. */
export default {
  ...base,
  testMatch: ['**/*.engines.ts'],
  globalSetup: '<rootDir>/libs/testing/src/engines-global-setup.ts',
  globalTeardown: '<rootDir>/libs/testing/src/engines-global-teardown.ts',
  testEnvironment: '<rootDir>/libs/testing/src/engines-environment.ts',
};
