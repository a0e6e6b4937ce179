import { swcOptions } from './tools/swc-options.mjs';

// Packages that ship only ES modules: Jest runs CommonJS, so the transform takes them too.
const ESM_ONLY = ['file-type', 'strtok3', 'token-types', 'uint8array-extras', '@tokenizer/.*', '@borewit/.*', '@tus/.*', 'srvx', 'lodash.throttle', 'oidc-provider', 'openid-client', 'oauth4webapi', 'jose', 'koa', 'mingo', 'postal-mime', '@fastify/.*', 'fastify-plugin', 'nodemailer', 'pure-rand', 'fast-check'];

export default {
  rootDir: '.',
  roots: ['<rootDir>/libs', '<rootDir>/apps', '<rootDir>/tools', '<rootDir>/deploy', '<rootDir>/bench'],
  testMatch: ['**/*.spec.ts'],
  testEnvironment: '<rootDir>/libs/testing/src/shared-environment.ts',
  runtime: '<rootDir>/tools/jest/shared-runtime.mjs',
  moduleNameMapper: { '^@twinyard/([a-z-]+)$': '<rootDir>/libs/$1/src/index.ts', '^@twinyard/([a-z-]+)/([a-z-]+)$': '<rootDir>/libs/$1/src/$2.ts' },
  transform: { '\\.(ts|js|mjs)$': ['@swc/jest', { ...swcOptions, sourceMaps: 'inline' }] },
  transformIgnorePatterns: [`/node_modules/(?!(${ESM_ONLY.join('|')})/)`],
  testSequencer: '<rootDir>/tools/jest/sequencer.mjs',
  globalSetup: '<rootDir>/libs/testing/src/jest-global-setup.ts',
  globalTeardown: '<rootDir>/libs/testing/src/jest-global-teardown.ts',
  // For what hangs: a busy machine may take ten times as long as a quiet one, and no test is about that.
  testTimeout: 180_000,
  maxWorkers: process.env.JEST_WORKERS ?? 2,
  // What a suite has loaded is not all let go of: after fifty of them a worker held 2.7 GB, and spent its time collecting it.
  workerIdleMemoryLimit: '1GB',
};
