export * from './durable-request';
export * from './durable-request-store';
export * from './durable-requests';
export * from './durable-requests.module';
export { RequestSeal } from './request-seal';
export * from './durable-requests-migration';
export * from './durable-request-progress-migration';
export * from './mongo-durable-request-store';
export * from './sql-durable-request-store';
