export * from './mongo-connection';
export { isDuplicateKey, LostRace } from './mongo-errors';
export * from './mongo-tx';
export * from './mongo-unit-of-work';
export * from './mongo.module';
