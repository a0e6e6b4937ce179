import { readFileSync } from 'node:fs';

/** Node has it; the types of Node leave it to those of the browser. */
declare const WebAssembly: { compile(bytes: Uint8Array): Promise<CompiledEngine> };

/** A `WebAssembly.Module`: threads share it, each run makes an engine of it. */
export type CompiledEngine = object;

let compiled: Promise<CompiledEngine> | undefined;

/** Once a process. */
export const compiledEngine = (): Promise<CompiledEngine> => (compiled ??= WebAssembly.compile(readFileSync(require.resolve('@jitl/quickjs-wasmfile-release-sync/wasm'))));
