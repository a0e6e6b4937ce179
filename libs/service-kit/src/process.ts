/** What a process needs that is no service (the runner, the gateway): settings, a log, a database server. Without Nest and TypeORM it starts faster and takes 40 MB less. */
export * from './embedded-postgres';
export { requestIdOf } from './http/request-id';
export * from './logging/logger';
export * from './settings/settings';
export { CallerCounts } from './lines/caller-counts';
export { endConnections } from './lines/ending-connections';
export { clientErrorHandler, guardLines, headTerms } from './lines/guard-lines';
export { CONNECTION_MS, IDLE_CONNECTION_MS } from './lines/kept-connections';
export { SMALL_BODY_BYTES } from './lines/line-watch';
export { networkOf } from './lines/network-of';
export { whenOver } from './lines/when-over';
export { logRequests, REQUEST_LINE } from './logging/request-log';
export { releaseMemory } from './release-memory';
export * from './settings/line-settings';
export { stopOnSignals } from './stop-on-signals';
