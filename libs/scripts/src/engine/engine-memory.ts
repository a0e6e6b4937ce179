/** Node has it; the types of Node leave it to those of the browser. */
interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}
declare const WebAssembly: { readonly Memory: new (pages: { initial: number; maximum: number }) => WasmMemory };

const PAGE_BYTES = 65_536;
const ZEROS = new Uint8Array(PAGE_BYTES);
/** Pages that are not empty, by their place. */
export type MemoryImage = ReadonlyMap<number, Uint8Array>;

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

  /** What it holds now. */
  image(): MemoryImage {
    return new Map(this.pages().flatMap((page, at) => (isEmpty(page) ? [] : [[at, page.slice()]])));
  }

  /** Holds that again, and nothing else. False where it has grown meanwhile. Pages that nobody has written to are only read: the machine has not given them yet. */
  putBack(image: MemoryImage): boolean {
    if (this.hasGrown) return false;
    for (const [at, page] of this.pages().entries()) {
      const before = image.get(at);
      if (before !== undefined) page.set(before);
      else if (!isEmpty(page)) page.fill(0);
    }
    this.refused = false;
    return true;
  }

  private pages(): Uint8Array[] {
    const { buffer } = this.memory;
    return Array.from({ length: buffer.byteLength / PAGE_BYTES }, (_, at) => new Uint8Array(buffer, at * PAGE_BYTES, PAGE_BYTES));
  }

  /** It is not given back before its thread ends. */
  get hasGrown(): boolean {
    return this.memory.buffer.byteLength > START_PAGES * PAGE_BYTES;
  }
}

const isEmpty = (page: Uint8Array) => Buffer.compare(page, ZEROS) === 0;
