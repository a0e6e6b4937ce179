import { newQuickJSWASMModuleFromVariant, newVariant, type QuickJSContext, type QuickJSHandle, type QuickJSRuntime } from 'quickjs-emscripten-core';
import variant from '@jitl/quickjs-wasmfile-release-sync';
import type { CompiledEngine } from './compiled-engine';
import { ConsoleLines } from './console-lines';
import { EngineMemory } from './engine-memory';
import { ModuleNames, PRELUDE } from './module-names';
import { type EngineJson, Questions } from './questions';
import { RunningTime } from '../running-time';
import type { ConsoleLine, ScriptBridge, ScriptCall, ScriptEnd, ScriptLimits } from '../script';
import type { ThreadLine } from '../threads/messages';
import { limitedText, thrownEnd } from './thrown-value';

/** As deep as calls go; more would end the thread's own stack. */
const STACK_BYTES = 256 * 1024;
const LEVELS = { debug: 'debug', log: 'info', info: 'info', warn: 'warn', error: 'error' } as const satisfies Record<string, ConsoleLine['level']>;
/** Few enough that the clock is looked at in time; the engine itself looks only now and then. */
const JOBS_AT_ONCE = 100;
/** `output`: the JSON of a result. */
export type SandboxEnd = ScriptEnd & { readonly output?: string };
type Settled = { readonly value: QuickJSHandle } | { readonly end: ScriptEnd };
const OUT_OF_MEMORY: ScriptEnd = { kind: 'stopped', limit: 'memory', message: 'The script needs too much memory' };
const LATE: ScriptEnd = { kind: 'stopped', limit: 'time', message: 'The script takes too long' };

const NEVER_SETTLED = 'The promise of the script is never settled: there is nothing that it could wait for';
const NEVER: ScriptEnd = { kind: 'threw', message: NEVER_SETTLED, said: NEVER_SETTLED };

/** `call` as the thread gets it: arguments as one JSON text, limits complete. */
export interface SandboxCall extends Pick<ScriptCall, 'source' | 'name' | 'entry' | 'modules' | 'parseOnly'> {
  readonly argumentsJson: string;
  readonly prelude?: Pick<ScriptBridge, 'prelude' | 'modules'>;
  readonly limits: ScriptLimits;
}

/** `hasGrown`: the engine took more memory than it started with, which the thread keeps until it ends. */
export interface SandboxAnswer {
  readonly end: SandboxEnd;
  readonly hasGrown: boolean;
}

/**
 * One run in an engine of its own: nothing that one script leaves behind, not even a broken heap of the engine, is there for the next.
 * The engine knows the language, and what its call brings along: no files, sockets, timers or processes.
 */
export async function runInSandbox(wasmModule: CompiledEngine, call: SandboxCall, line: ThreadLine): Promise<SandboxAnswer> {
  const memory = new EngineMemory(call.limits.memoryBytes);
  const engine = await newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmModule, wasmMemory: memory.memory }));
  const runtime = engine.newRuntime({ memoryLimitBytes: call.limits.memoryBytes, maxStackSizeBytes: STACK_BYTES });
  const lines = new ConsoleLines(call.limits.consoleCharacters, (told) => line.tell({ kind: 'line', line: told }));
  const modules = new ModuleNames(call);
  line.tell({ kind: 'begun' });
  const time = new RunningTime(call.limits.timeMs);
  runtime.setInterruptHandler(() => time.isOver());
  runtime.setModuleLoader((name) => modules.source(name), (from, wanted) => modules.resolve(from, wanted));
  const end = await endOf(() => new Sandbox(runtime, call, { lines, time, line, modules }).run(), time);
  lines.end();
  // Without room the engine throws whatever it still can, as `null`.
  return { end: end.kind === 'threw' && memory.isExhausted ? OUT_OF_MEMORY : end, hasGrown: memory.hasGrown };
}

async function endOf(run: () => Promise<SandboxEnd>, time: RunningTime): Promise<SandboxEnd> {
  try {
    return await run();
  } catch (error) {
    // The engine itself gave up; it is thrown away with its memory.
    return time.isOver() ? LATE : toEnd(error);
  }
}

function toEnd(error: unknown): ScriptEnd {
  if (error instanceof RangeError) return { kind: 'stopped', limit: 'stack', message: 'The script calls itself too often' };
  return { kind: 'stopped', limit: 'memory', message: 'The script has broken its engine, most likely by its need of memory' };
}

interface Surroundings {
  readonly lines: ConsoleLines;
  readonly time: RunningTime;
  readonly line: ThreadLine;
  readonly modules: ModuleNames;
}

class Sandbox {
  private readonly context: QuickJSContext;
  /** Taken before the script runs, which may change its own. */
  private readonly json: EngineJson;
  private readonly questions: Questions;
  private readonly lines: ConsoleLines;
  private readonly time: RunningTime;
  private readonly modules: ModuleNames;

  constructor(private readonly runtime: QuickJSRuntime, private readonly call: SandboxCall, { lines, time, line, modules }: Surroundings) {
    [this.lines, this.time, this.modules] = [lines, time, modules];
    this.context = runtime.newContext();
    const json = this.context.getProp(this.context.global, 'JSON');
    this.json = { parse: this.context.getProp(json, 'parse'), stringify: this.context.getProp(json, 'stringify') };
    this.questions = new Questions(this.context, this.json, line, call.limits);
    this.addConsole();
  }

  async run(): Promise<SandboxEnd> {
    const { source, entry, parseOnly } = this.call;
    if (parseOnly === true) return this.parse(source);
    const args = await this.givenArguments();
    if ('end' in args) return args.end;
    const result = await this.callModule(source, this.modules.own, entry ?? 'default', this.elementsOf(args.value));
    return 'end' in result ? result.end : this.output(result.value);
  }

  /** Runs nothing of it, nor of what it imports. */
  private parse(source: string): SandboxEnd {
    const parsed = this.context.evalCode(source, this.modules.own, { type: 'module', compileOnly: true });
    return parsed.error ? this.thrown(parsed.error, true) : { kind: 'returned', result: undefined };
  }

  /** As the prelude gives them. */
  private async givenArguments(): Promise<Settled> {
    const { argumentsJson, prelude } = this.call;
    const parsed = this.context.newString(argumentsJson).consume((text) => this.context.callFunction(this.json.parse, this.context.undefined, text));
    if (parsed.error) return { end: this.thrown(parsed.error) };
    if (prelude === undefined) return { value: parsed.value };
    return this.callModule(prelude.prelude, PRELUDE, 'default', [...this.questions.functions(), parsed.value]);
  }

  private async callModule(source: string, name: string, entry: string, args: readonly QuickJSHandle[]): Promise<Settled> {
    const evaluated = this.context.evalCode(source, name, { type: 'module' });
    if (evaluated.error) return { end: this.thrown(evaluated.error, true) };
    const module = await this.settle(evaluated.value);
    if ('end' in module) return module;
    const called = this.context.getProp(module.value, entry);
    if (this.context.typeof(called) !== 'function') {
      return { end: { kind: 'unusable', message: `The script ${entry === 'default' ? 'has no function as its default export' : `exports no function ${entry}`}` } };
    }
    const answer = this.context.callFunction(called, this.context.undefined, ...args);
    return answer.error ? { end: this.thrown(answer.error) } : this.settle(answer.value);
  }

  private elementsOf(array: QuickJSHandle): QuickJSHandle[] {
    const length = this.context.getNumber(this.context.getProp(array, 'length'));
    return Array.from({ length }, (_, index) => this.context.getProp(array, index));
  }

  /** Waits for a promise by doing all that is left to be done, and for answers; when nothing is left, it waits for something that cannot come. */
  private async settle(value: QuickJSHandle): Promise<Settled> {
    if (!this.isPromise(value)) return { value };
    for (;;) {
      const end = this.doJobs();
      if (end !== undefined) return { end };
      const state = this.context.getPromiseState(value);
      if (state.type === 'fulfilled') return { value: state.value };
      if (state.type === 'rejected') return { end: this.thrown(state.error) };
      if (!this.questions.areOpen) return { end: NEVER };
      const message = await this.questions.next();
      this.time.goOn();
      this.questions.hear(message);
    }
  }

  private doJobs(): ScriptEnd | undefined {
    while (this.runtime.hasPendingJob()) {
      const done = this.runtime.executePendingJobs(JOBS_AT_ONCE);
      if (done.error) return this.thrown(done.error);
      if (this.time.isOver()) return LATE;
    }
    return undefined;
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
    return thrownEnd(this.context, error, { whileLoading, modules: this.modules, isLate: () => this.time.isOver() });
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
