export * from './free-port';
export { isAlive } from '../alive-process';
export { canPassClosedFolders } from './account';
export { startEmbeddedPostgres, type EmbeddedPostgres, type EmbeddedPostgresOptions } from './server';
