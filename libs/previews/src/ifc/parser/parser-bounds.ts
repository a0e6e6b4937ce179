import { IfcAPI, LogLevel } from 'web-ifc';
import type { Refusal } from '../../picture';

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

/** The parser has hit its bound: what it holds is not whole, and it is not to be asked again. */
export class OutOfMemory extends Error {
  override readonly name = 'OutOfMemory';
}

/**
 * Runs one synchronous call of the parser under the bound on memory. The parser has no setting for it and asks the prototype,
 * so it is the prototype that refuses, for as long as the call lasts; nothing else runs meanwhile.
 * @throws OutOfMemory
 */
export function withinMemory<T>(call: () => T, most = MAX_MEMORY): T {
  const memory = wasm.Memory.prototype;
  const grow = memory.grow;
  let isRefused = false;
  memory.grow = function (pages) {
    isRefused = this.buffer.byteLength + pages * PAGE > most;
    if (isRefused) throw new RangeError('The parser of models wants too much memory');
    return grow.call(this, pages);
  };
  try {
    const answer = call();
    if (!isRefused) return answer;
  } catch (error) {
    if (!isRefused) throw error;
  } finally {
    memory.grow = grow;
  }
  // Whatever the parser made of the refusal: it may as well have gone on with a hole.
  throw new OutOfMemory();
}

/** Of the machine, not of the parser: its stack, its memory, an address that is not there. */
export const isCrash = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'name' in error && ['RangeError', 'RuntimeError', 'OutOfMemory'].includes(String(error.name));

export const refusalOf = (crash: unknown): Refusal => (crash instanceof OutOfMemory ? 'needs too much memory' : 'is broken');
