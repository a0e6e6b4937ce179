/** Node has it; the types of Node leave it to those of the browser. */
interface WasmMemory {
  readonly buffer: { readonly byteLength: number };
  grow(pages: number): number;
}
declare const WebAssembly: { readonly Memory: new (pages: { initial: number; maximum: number }) => WasmMemory };

const PAGE_BYTES = 65_536;
/** What the module of the engine asks for when it starts: its own data and stack, and the first of its heap. */
const START_PAGES = 256;
/** The engine asks for up to a twentieth more than it needs, and takes no for an answer if that is not there. */
const ASKED_BEYOND = 1.05;

/**
 * The memory of one engine. Its maximum is what bounds a script: the engine counts large requests alone, not the sum of many,
 * and would go on to 2 GiB.
 */
export class EngineMemory {
  readonly memory: WasmMemory;
  private refused = false;

  constructor(limitBytes: number) {
    const maximum = START_PAGES + Math.ceil((limitBytes * ASKED_BEYOND) / PAGE_BYTES);
    const memory = new WebAssembly.Memory({ initial: START_PAGES, maximum });
    const grow = memory.grow.bind(memory);
    memory.grow = (pages) => {
      try {
        return grow(pages);
      } catch (error) {
        this.refused = true;
        throw error;
      }
    };
    this.memory = memory;
  }

  /** The script has wanted more than there may be. The engine may have had no room left to say so in its own words. */
  get isExhausted(): boolean {
    return this.refused;
  }

  /** It is not given back before its thread ends. */
  get hasGrown(): boolean {
    return this.memory.buffer.byteLength > START_PAGES * PAGE_BYTES;
  }
}
