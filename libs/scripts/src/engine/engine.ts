import variant from '@jitl/quickjs-wasmfile-release-sync';
import { newQuickJSWASMModuleFromVariant, newVariant, type QuickJSContext, type QuickJSHandle, type QuickJSRuntime } from 'quickjs-emscripten-core';
import type { ConsoleLine, ScriptBridge } from '../script';
import type { CompiledEngine } from './compiled-engine';
import { EngineMemory, type MemoryImage } from './engine-memory';
import { PRELUDE } from './module-names';
import { RANDOM, randomSeed } from './random';

/** As deep as calls go; more would end the thread's own stack. */
const STACK_BYTES = 256 * 1024;
const LEVELS = { debug: 'debug', log: 'info', info: 'info', warn: 'warn', error: 'error' } as const satisfies Record<string, ConsoleLine['level']>;

export type Prelude = Pick<ScriptBridge, 'prelude' | 'modules'>;

/** What an engine is made for: scripts that differ in it need another one. */
export interface EngineTerms {
  readonly memoryBytes: number;
  readonly prelude?: Prelude;
}

/** `error`: is thrown where the engine called. */
export type HostAnswer = QuickJSHandle | { readonly error: QuickJSHandle } | undefined;

/** Whoever runs a script in an engine, for as long as that takes. */
export interface EngineHost {
  isOver(): boolean;
  sourceOf(module: string): string | { readonly error: Error };
  resolve(from: string, wanted: string): string;
  write(level: ConsoleLine['level'], values: readonly QuickJSHandle[]): void;
  ask(name: QuickJSHandle | undefined, input: QuickJSHandle | undefined): HostAnswer;
  whenAborted(told: QuickJSHandle | undefined): void;
}

/** Functions and objects of the engine's own, taken before any script runs, which may change what it finds. */
export interface EngineParts {
  readonly parse: QuickJSHandle;
  readonly stringify: QuickJSHandle;
  readonly ask: QuickJSHandle;
  readonly whenAborted: QuickJSHandle;
  /** The default export of the prelude; missing where it could not be loaded. */
  readonly prelude?: QuickJSHandle;
}

/** The prelude is ours, and is loaded in no script's time. */
const preludeHost = ({ prelude }: EngineTerms): EngineHost => ({
  isOver: () => false, sourceOf: (module) => prelude?.modules?.[module] ?? '', resolve: (_from, wanted) => wanted,
  write: () => undefined, ask: () => undefined, whenAborted: () => undefined,
});

/**
 * An engine with its prelude loaded, for one script after the other. All that an engine is lies in its memory: before each script that is what it was before
 * the first, byte by byte, so that nothing of one, not even a broken heap, is there for the next. The engine knows the language, and what its host gives it.
 */
export class Engine {
  readonly runtime: QuickJSRuntime;
  readonly context: QuickJSContext;
  readonly parts: EngineParts;
  private readonly seed: QuickJSHandle;
  private readonly image: MemoryImage;
  private host: EngineHost;
  private isUsed = false;

  private constructor(private readonly terms: EngineTerms, readonly memory: EngineMemory, runtime: QuickJSRuntime) {
    this.host = preludeHost(terms);
    this.runtime = runtime;
    runtime.setInterruptHandler(() => this.host.isOver());
    runtime.setModuleLoader((name) => this.host.sourceOf(name), (from, wanted) => this.host.resolve(from, wanted));
    this.context = runtime.newContext();
    this.addConsole();
    this.seed = this.context.unwrapResult(this.context.evalCode(RANDOM));
    const json = this.context.getProp(this.context.global, 'JSON');
    const prelude = this.loadPrelude();
    this.parts = {
      parse: this.context.getProp(json, 'parse'), stringify: this.context.getProp(json, 'stringify'),
      ask: this.context.newFunction('ask', (name, input) => this.host.ask(name, input) as QuickJSHandle),
      whenAborted: this.context.newFunction('whenAborted', (told) => this.host.whenAborted(told)),
      ...(prelude && { prelude }),
    };
    this.image = memory.image();
  }

  static async make(wasmModule: CompiledEngine, terms: EngineTerms): Promise<Engine> {
    const memory = new EngineMemory(terms.memoryBytes);
    const module = await newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmModule, wasmMemory: memory.memory }));
    return new Engine(terms, memory, module.newRuntime({ memoryLimitBytes: terms.memoryBytes, maxStackSizeBytes: STACK_BYTES }));
  }

  isFor({ memoryBytes, prelude }: EngineTerms): boolean {
    return memoryBytes === this.terms.memoryBytes && isSame(prelude, this.terms.prelude);
  }

  /** For one script. */
  begin(host: EngineHost): void {
    this.host = host;
    this.isUsed = true;
    const seed = randomSeed().map((number) => this.context.newNumber(number));
    this.context.unwrapResult(this.context.callFunction(this.seed, this.context.undefined, ...seed)).dispose();
  }

  /** As it was before the script. False where it cannot be that again. */
  putBack(): boolean {
    if (this.isUsed && !this.memory.putBack(this.image)) return false;
    this.isUsed = false;
    this.host = preludeHost(this.terms);
    return true;
  }

  private loadPrelude(): QuickJSHandle | undefined {
    const { prelude } = this.terms;
    if (prelude === undefined) return undefined;
    const module = this.context.evalCode(prelude.prelude, PRELUDE, { type: 'module' });
    if (module.error) return undefined;
    this.runtime.executePendingJobs();
    const state = this.context.getPromiseState(module.value);
    if (state.type !== 'fulfilled') return undefined;
    return this.context.getProp(state.value, 'default');
  }

  private addConsole(): void {
    const console = this.context.newObject();
    for (const [name, level] of Object.entries(LEVELS)) {
      this.context.setProp(console, name, this.context.newFunction(name, (...values) => this.host.write(level, values)));
    }
    this.context.setProp(this.context.global, 'console', console);
  }
}

function isSame(one: Prelude | undefined, other: Prelude | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  const [ofOne, ofOther] = [Object.entries(one.modules ?? {}), other.modules ?? {}];
  return one.prelude === other.prelude && ofOne.length === Object.keys(ofOther).length && ofOne.every(([name, source]) => ofOther[name] === source);
}
