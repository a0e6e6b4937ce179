export * from './free-port';
export { isAlive } from './leftover-server';
export { startEmbeddedPostgres, type EmbeddedPostgres, type EmbeddedPostgresOptions } from './server';
