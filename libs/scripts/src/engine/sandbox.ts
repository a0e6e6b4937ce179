import type { QuickJSContext, QuickJSHandle, QuickJSRuntime } from 'quickjs-emscripten-core';
import type { CompiledEngine } from './compiled-engine';
import { ConsoleLines } from './console-lines';
import { Engine, type EngineHost, type EngineTerms, type HostAnswer } from './engine';
import { ModuleNames, PRELUDE } from './module-names';
import { Questions } from './questions';
import { RunningTime } from '../running-time';
import type { ConsoleLine, ScriptBridge, ScriptCall, ScriptEnd, ScriptLimits } from '../script';
import type { ThreadLine } from '../threads/messages';
import { limitedText, thrownEnd } from './thrown-value';

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

/** The engine of a thread, kept for the next script that wants one like it. */
export class SandboxEngines {
  private ready: Engine | undefined;

  constructor(private readonly wasmModule: CompiledEngine) {}

  /** One that nobody has used, or that is as if nobody had. */
  async take(terms: EngineTerms): Promise<Engine> {
    const { ready } = this;
    this.ready = undefined;
    return ready?.isFor(terms) === true ? ready : Engine.make(this.wasmModule, terms);
  }

  keep(engine: Engine): void {
    if (engine.putBack()) this.ready = engine;
  }
}

/** One run, in an engine that is as new. Whoever waits hears of its end before the engine is made new again. */
export async function runInSandbox(engines: SandboxEngines, call: SandboxCall, line: ThreadLine): Promise<void> {
  const { prelude, limits: { memoryBytes, consoleCharacters, timeMs } } = call;
  const engine = await engines.take({ memoryBytes, ...(prelude && { prelude }) });
  const lines = new ConsoleLines(consoleCharacters, (told) => line.tell({ kind: 'line', line: told }));
  line.tell({ kind: 'begun' });
  const sandbox = new Sandbox(engine, call, { lines, time: new RunningTime(timeMs), line, modules: new ModuleNames(call) });
  const { end, isWhole } = await sandbox.end();
  lines.end();
  const { memory } = engine;
  // Without room the engine throws whatever it still can, as `null`.
  line.tell({ kind: 'ended', answer: { end: end.kind === 'threw' && memory.isExhausted ? OUT_OF_MEMORY : end, hasGrown: memory.hasGrown } });
  if (isWhole) engines.keep(engine);
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

class Sandbox implements EngineHost {
  private readonly context: QuickJSContext;
  private readonly runtime: QuickJSRuntime;
  private readonly questions: Questions;
  private readonly lines: ConsoleLines;
  private readonly time: RunningTime;
  private readonly modules: ModuleNames;

  constructor(private readonly engine: Engine, private readonly call: SandboxCall, { lines, time, line, modules }: Surroundings) {
    [this.lines, this.time, this.modules] = [lines, time, modules];
    [this.context, this.runtime] = [engine.context, engine.runtime];
    this.questions = new Questions(this.context, engine.parts, line, call.limits);
  }

  isOver(): boolean {
    return this.time.isOver();
  }

  sourceOf(module: string): string | { readonly error: Error } {
    return this.modules.source(module);
  }

  resolve(from: string, wanted: string): string {
    return this.modules.resolve(from, wanted);
  }

  write(level: ConsoleLine['level'], values: readonly QuickJSHandle[]): void {
    this.lines.add(level, this.lines.left > 0 ? values.map((value) => this.textOf(value)).join(' ') : '');
  }

  ask(name: QuickJSHandle | undefined, input: QuickJSHandle | undefined): HostAnswer {
    return this.questions.ask(name, input);
  }

  whenAborted(told: QuickJSHandle | undefined): void {
    this.questions.whenAborted(told);
  }

  /** `isWhole`: its engine can be made new again. */
  async end(): Promise<{ readonly end: SandboxEnd; readonly isWhole: boolean }> {
    try {
      this.engine.begin(this);
      return { end: await this.run(), isWhole: true };
    } catch (error) {
      // The engine itself gave up; it is thrown away with its memory.
      return { end: this.time.isOver() ? LATE : toEnd(error), isWhole: false };
    }
  }

  private async run(): Promise<SandboxEnd> {
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
    const { parts } = this.engine;
    const parsed = this.context.newString(argumentsJson).consume((text) => this.context.callFunction(parts.parse, this.context.undefined, text));
    if (parsed.error) return { end: this.thrown(parsed.error) };
    if (prelude === undefined) return { value: parsed.value };
    const given = [parts.ask, parts.whenAborted, parsed.value];
    return parts.prelude ? this.callFunction(parts.prelude, given) : this.callModule(prelude.prelude, PRELUDE, 'default', given);
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
    return this.callFunction(called, args);
  }

  private async callFunction(called: QuickJSHandle, args: readonly QuickJSHandle[]): Promise<Settled> {
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
    const text = this.context.callFunction(this.engine.parts.stringify, this.context.undefined, value);
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

  private textOf(value: QuickJSHandle): string {
    const kind = this.context.typeof(value);
    if (kind === 'string') return limitedText(this.context, value, this.lines.left);
    if (kind !== 'object') return kind === 'symbol' || kind === 'function' ? `a ${kind}` : String(this.context.dump(value));
    const text = this.context.callFunction(this.engine.parts.stringify, this.context.undefined, value);
    if (text.error) return 'an object that is no JSON';
    return this.context.typeof(text.value) === 'string' ? limitedText(this.context, text.value, this.lines.left) : 'undefined';
  }
}
