export * from './free-port';
export { isAlive } from '../alive-process';
export { canPassClosedFolders } from './account';
export { requireSameMajor } from './cluster-version';
export { startEmbeddedPostgres, type EmbeddedPostgres, type EmbeddedPostgresOptions } from './server';
