export * from './script';
export { ScriptRunner, type ScriptRunnerOptions } from './script-runner';
