export * from './script';
export { ScriptRunner, type ScriptRunnerOptions } from './script-runner';
export { scriptTypes } from './platform/sandbox-sources';
export type { ScriptAnswer } from './platform/script-answer';
export { type ScriptFacts, type ScriptHost, ScriptPlatform } from './platform/script-platform';
export type { ScriptMethod, ScriptRequest } from './platform/script-request';
export { type ReadTable, ROW_BYTES, ROWS_BYTES, type ScriptTables, type WrittenTable } from './platform/tables/script-tables';
export type { CsvReading, CsvText, RowReading, TableSource, TableTarget, TextForm } from './platform/tables/table-questions';
