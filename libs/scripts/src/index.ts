export * from './script';
export { ScriptRunner, type ScriptRunnerOptions } from './script-runner';
export { scriptTypes } from './platform/sandbox-sources';
export type { ScriptAnswer } from './platform/script-answer';
export { type ScriptFacts, type ScriptHost, ScriptPlatform } from './platform/script-platform';
export type { ScriptMethod, ScriptRequest } from './platform/script-request';
