export * from './eventually';
export * from './test-database';
export { freePort } from '@twinyard/service-kit/process';
export * from './fake-passport';
export * from './test-settings';
export * from './passport-protocol.contract';
export * from './step-scan';
export { enginePath, type EngineName, type EngineSettings, engineSettings, onEngine, type OwnEngines, ownEngines } from './engines';
export { createMongoDatabase, type MongoTestDatabase } from './mongo-test-database';
