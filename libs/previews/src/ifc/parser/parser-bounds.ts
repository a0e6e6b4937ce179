import { LogLevel, IfcAPI } from 'web-ifc';

/** Beyond this the parser is refused memory, and gives up: a few lines of a file can unfold into all that there is. */
const MAX_MEMORY = 640 * 1024 * 1024;
const PAGE = 65_536;

interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow: (this: WasmMemory, pages: number) => number;
}

/** The types of Node leave WebAssembly out. */
const wasm = (globalThis as unknown as { readonly WebAssembly: { readonly Memory: { readonly prototype: WasmMemory } } }).WebAssembly;

/** A parser of its own, which says nothing on the console: the messages of its runtime go where `console` points at its birth. */
export async function startParser(): Promise<IfcAPI> {
  const api = new IfcAPI();
  await silently(() => api.Init(undefined, true));
  api.SetLogLevel(LogLevel.LOG_LEVEL_OFF);
  return api;
}

function silently<T>(begin: () => T): T {
  const { log, error } = console;
  console.log = console.error = () => undefined;
  try {
    return begin();
  } finally {
    Object.assign(console, { log, error });
  }
}

/**
 * Runs one synchronous call of the parser under the bound on memory. The parser has no setting for it and asks the prototype,
 * so it is the prototype that refuses, for as long as the call lasts; nothing else runs meanwhile.
 */
export function withinMemory<T>(call: () => T): T {
  const memory = wasm.Memory.prototype;
  const grow = memory.grow;
  memory.grow = function (pages) {
    if (this.buffer.byteLength + pages * PAGE > MAX_MEMORY) throw new RangeError('The parser of models wants too much memory');
    return grow.call(this, pages);
  };
  try {
    return call();
  } finally {
    memory.grow = grow;
  }
}

/** Of the machine, not of the parser: its stack, its memory, an address that is not there. */
export const isCrash = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'name' in error && (error.name === 'RangeError' || error.name === 'RuntimeError');
