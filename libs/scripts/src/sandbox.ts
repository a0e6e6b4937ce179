import { newQuickJSWASMModuleFromVariant, newVariant, type QuickJSContext, type QuickJSHandle, type QuickJSRuntime } from 'quickjs-emscripten-core';
import variant from '@jitl/quickjs-wasmfile-release-sync';
import type { CompiledEngine } from './compiled-engine';
import { ConsoleLines } from './console-lines';
import { EngineMemory } from './engine-memory';
import { RunningTime } from './running-time';
import type { ConsoleLine, ScriptCall, ScriptEnd, ScriptLimits, ScriptOutcome } from './script';
import { limitedText, thrownEnd } from './thrown-value';

/** As deep as calls go; more would end the thread's own stack. */
const STACK_BYTES = 256 * 1024;
const LEVELS = { debug: 'debug', log: 'info', info: 'info', warn: 'warn', error: 'error' } as const satisfies Record<string, ConsoleLine['level']>;
/** Few enough that the clock is looked at in time; the engine itself looks only now and then. */
const JOBS_AT_ONCE = 100;
type SandboxEnd = ScriptEnd & { readonly output?: string };
const OUT_OF_MEMORY: ScriptEnd = { kind: 'stopped', limit: 'memory', message: 'The script needs too much memory' };
const LATE: ScriptEnd = { kind: 'stopped', limit: 'time', message: 'The script takes too long' };

/** `call` as the thread gets it: arguments as one JSON text, limits complete. */
export interface SandboxCall extends Pick<ScriptCall, 'source' | 'entry'> {
  readonly argumentsJson: string;
  readonly limits: ScriptLimits;
}

/** `hasGrown`: the engine took more memory than it started with, which the thread keeps until it ends. */
export interface SandboxAnswer {
  readonly outcome: ScriptOutcome & { readonly output?: string };
  readonly hasGrown: boolean;
}

/**
 * One run in an engine of its own: nothing that one script leaves behind, not even a broken heap of the engine, is there for the next.
 * The engine knows the language and nothing else: no modules, files, sockets, timers or processes.
 */
export async function runInSandbox(wasmModule: CompiledEngine, call: SandboxCall, begins: () => void): Promise<SandboxAnswer> {
  const memory = new EngineMemory(call.limits.memoryBytes);
  const engine = await newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmModule, wasmMemory: memory.memory }));
  const lines = new ConsoleLines(call.limits.consoleCharacters);
  const runtime = engine.newRuntime({ memoryLimitBytes: call.limits.memoryBytes, maxStackSizeBytes: STACK_BYTES });
  begins();
  const time = new RunningTime(call.limits.timeMs);
  runtime.setInterruptHandler(() => time.isOver());
  const end = endOf(() => new Sandbox(runtime, call, lines, time).run());
  // Without room the engine throws whatever it still can, as `null`.
  const named = end.kind === 'threw' && memory.isExhausted ? OUT_OF_MEMORY : end;
  return { outcome: { ...named, console: lines.lines }, hasGrown: memory.hasGrown };
}

function endOf(run: () => SandboxEnd): SandboxEnd {
  try {
    return run();
  } catch (error) {
    // The engine itself gave up; it is thrown away with its memory.
    return toEnd(error);
  }
}

function toEnd(error: unknown): ScriptEnd {
  if (error instanceof RangeError) return { kind: 'stopped', limit: 'stack', message: 'The script calls itself too often' };
  return { kind: 'stopped', limit: 'memory', message: 'The script has broken its engine, most likely by its need of memory' };
}

class Sandbox {
  private readonly context: QuickJSContext;
  /** Taken before the script runs, which may change its own. */
  private readonly json: { readonly parse: QuickJSHandle; readonly stringify: QuickJSHandle };

  constructor(private readonly runtime: QuickJSRuntime, private readonly call: SandboxCall, private readonly lines: ConsoleLines, private readonly time: RunningTime) {
    this.context = runtime.newContext();
    const json = this.context.getProp(this.context.global, 'JSON');
    this.json = { parse: this.context.getProp(json, 'parse'), stringify: this.context.getProp(json, 'stringify') };
    this.addConsole();
  }

  run(): SandboxEnd {
    const parsed = this.context.callFunction(this.json.parse, this.context.undefined, this.context.newString(this.call.argumentsJson));
    if (parsed.error) return this.thrown(parsed.error);
    const args = this.elementsOf(parsed.value);
    const evaluated = this.context.evalCode(this.call.source, 'script.js', { type: 'module' });
    if (evaluated.error) return this.thrown(evaluated.error, true);
    const module = this.settle(evaluated.value);
    if ('end' in module) return module.end;
    const { entry = 'default' } = this.call;
    const called = this.context.getProp(module.value, entry);
    if (this.context.typeof(called) !== 'function') {
      return { kind: 'unusable', message: `The script ${entry === 'default' ? 'has no function as its default export' : `exports no function ${entry}`}` };
    }
    const answer = this.context.callFunction(called, this.context.undefined, ...args);
    if (answer.error) return this.thrown(answer.error);
    const result = this.settle(answer.value);
    return 'end' in result ? result.end : this.output(result.value);
  }

  private elementsOf(array: QuickJSHandle): QuickJSHandle[] {
    const length = this.context.getNumber(this.context.getProp(array, 'length'));
    return Array.from({ length }, (_, index) => this.context.getProp(array, index));
  }

  /** Waits for a promise by doing all that is left to be done; when nothing is left, it waits for something that cannot come. */
  private settle(value: QuickJSHandle): { readonly value: QuickJSHandle } | { readonly end: ScriptEnd } {
    if (!this.isPromise(value)) return { value };
    while (this.runtime.hasPendingJob()) {
      const done = this.runtime.executePendingJobs(JOBS_AT_ONCE);
      if (done.error) return { end: this.thrown(done.error) };
      if (this.time.isOver()) return { end: LATE };
    }
    const state = this.context.getPromiseState(value);
    if (state.type === 'fulfilled') return { value: state.value };
    if (state.type === 'rejected') return { end: this.thrown(state.error) };
    return { end: { kind: 'threw', message: 'The promise of the script is never settled: there is nothing that it could wait for' } };
  }

  private isPromise(value: QuickJSHandle): boolean {
    const state = this.context.getPromiseState(value);
    return !(state.type === 'fulfilled' && state.notAPromise === true);
  }

  private output(value: QuickJSHandle): SandboxEnd {
    const text = this.context.callFunction(this.json.stringify, this.context.undefined, value);
    if (text.error) return this.thrown(text.error);
    // What is long in the engine itself, as filling an array, is not interrupted.
    if (this.time.isOver()) return LATE;
    if (this.context.typeof(text.value) !== 'string') return { kind: 'returned', result: undefined };
    const { outputBytes } = this.call.limits;
    const tooLong: ScriptEnd = { kind: 'stopped', limit: 'output', message: `The result of the script has more than ${outputBytes} bytes` };
    // Its length is asked for before it is copied out of the engine.
    if (this.context.getNumber(this.context.getProp(text.value, 'length')) > outputBytes) return tooLong;
    const output = this.context.getString(text.value);
    return Buffer.byteLength(output) > outputBytes ? tooLong : { kind: 'returned', result: undefined, output };
  }

  private thrown(error: QuickJSHandle, whileLoading = false): ScriptEnd {
    return thrownEnd(this.context, error, { whileLoading, isLate: () => this.time.isOver() });
  }

  private addConsole(): void {
    const console = this.context.newObject();
    for (const [name, level] of Object.entries(LEVELS)) {
      this.context.setProp(console, name, this.context.newFunction(name, (...values) => this.lines.add(level, this.lines.left > 0 ? values.map((value) => this.textOf(value)).join(' ') : '')));
    }
    this.context.setProp(this.context.global, 'console', console);
  }

  private textOf(value: QuickJSHandle): string {
    const kind = this.context.typeof(value);
    if (kind === 'string') return limitedText(this.context, value, this.lines.left);
    if (kind !== 'object') return kind === 'symbol' || kind === 'function' ? `a ${kind}` : String(this.context.dump(value));
    const text = this.context.callFunction(this.json.stringify, this.context.undefined, value);
    if (text.error) return 'an object that is no JSON';
    return this.context.typeof(text.value) === 'string' ? limitedText(this.context, text.value, this.lines.left) : 'undefined';
  }
}
