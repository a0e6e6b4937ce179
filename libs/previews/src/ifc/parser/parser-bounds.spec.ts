import { isCrash, OutOfMemory, refusalOf, startParser, withinMemory } from './parser-bounds';

interface Memory {
  grow: (pages: number) => number;
  readonly buffer: ArrayBuffer;
}
const { Memory } = (globalThis as unknown as { WebAssembly: { Memory: new (size: { initial: number; maximum: number }) => Memory } }).WebAssembly;
const MB = 1_024 ** 2;
const page = () => new Memory({ initial: 1, maximum: 1_000 });

describe('the bound on the memory of the parser', () => {
  it('lets it grow as far as it goes', () => {
    const memory = page();
    expect(withinMemory(() => memory.grow(15), MB)).toBe(1);
    expect(memory.buffer.byteLength).toBe(MB);
  });

  it('refuses more, whether the refusal is passed on or swallowed', () => {
    const memory = page();
    const swallowed = () => {
      try {
        return memory.grow(16);
      } catch {
        return -1;
      }
    };
    expect(() => withinMemory(() => memory.grow(16), MB)).toThrow(OutOfMemory);
    expect(() => withinMemory(swallowed, MB)).toThrow(OutOfMemory);
    expect(memory.buffer.byteLength).toBe(65_536);
  });

  it('lets it ask for less', () => {
    const memory = page();
    const lessThen = () => {
      try {
        return memory.grow(16);
      } catch {
        return memory.grow(1);
      }
    };
    expect(withinMemory(lessThen, MB)).toBe(1);
  });

  it('holds for the call alone, and passes on what else goes wrong', () => {
    const memory = page();
    expect(() => withinMemory(() => { throw new Error('else'); }, MB)).toThrow('else');
    expect(memory.grow(16)).toBe(1);
  });

  it('tells what the machine gave up from what the parser says', () => {
    expect([new OutOfMemory(), new RangeError('stack'), Object.assign(new Error(), { name: 'RuntimeError' })].map(isCrash)).toEqual([true, true, true]);
    expect([new Error('line 5'), 5_251_064, undefined].map(isCrash)).toEqual([false, false, false]);
    expect([refusalOf(new OutOfMemory()), refusalOf(new RangeError())]).toEqual(['needs too much memory', 'is broken']);
  });

  it('is where the parser itself asks', async () => {
    const api = await startParser();
    const file = new TextEncoder().encode('ISO-10303-21;');
    const held = (api.wasmModule as { HEAPU8: Uint8Array }).HEAPU8.length;
    expect(() => withinMemory(() => api.OpenModel(file, { TAPE_SIZE: held }), held)).toThrow(OutOfMemory);
  });
});
