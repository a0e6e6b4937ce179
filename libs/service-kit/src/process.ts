/** What a process needs that is no service (the runner, the gateway): settings, a log, a database server. Without Nest and TypeORM it starts faster and takes 40 MB less. */
export * from './embedded-postgres';
export * from './logging/logger';
export * from './settings/settings';
