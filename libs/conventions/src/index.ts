export * from './errors';
export * from './identifiers';
export * from './irn';
export * from './metadata';
export * from './page';
export * from './permissions';
export * from './principal';
export * from './query-params';
