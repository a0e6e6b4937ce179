// Before any module of the product: it hands what it finds on the global object now to the worlds of specs that have one of their own (`@jest-environment node`). Registries of class-validator
// and TypeORM lie there too, and in those of the shared world such a spec would leave its copies of all classes.
import 'jest-environment-node';
import { LegacyFakeTimers, ModernFakeTimers } from '@jest/fake-timers';
import type { EnvironmentContext, JestEnvironment, JestEnvironmentConfig } from '@jest/environment';
import { ModuleMocker } from 'jest-mock';
import type { Context } from 'node:vm';

const timerConfig = { idToRef: (id: number) => ({ id, ref() { return this; }, unref() { return this; } }), refToId: ({ id }: { id: number }) => id };

/** One for the worker, not for the file: a helper that several files share makes its mocks with the same one as they do. */
const moduleMocker = new ModuleMocker(globalThis);
let timers: Timers | undefined;

interface Timers {
  readonly legacy: LegacyFakeTimers<{ id: number }>;
  readonly modern: ModernFakeTimers;
}

/** Spec files run in the worker's own realm, on modules that are loaded once (tools/jest/shared-runtime.mjs); each leaves the process as it was. */
export default class SharedEnvironment implements JestEnvironment<{ id: number }> {
  readonly sharesModules = true;
  readonly global = globalThis as unknown as JestEnvironment['global'];
  readonly moduleMocker = moduleMocker;
  readonly fakeTimers: Timers['legacy'];
  readonly fakeTimersModern: Timers['modern'];
  private readonly before = { env: { ...process.env }, exit: process.exit, console: globalThis.console };

  constructor({ projectConfig: config }: JestEnvironmentConfig, _context: EnvironmentContext) {
    timers ??= {
      legacy: new LegacyFakeTimers({ config, global: globalThis, moduleMocker, timerConfig }),
      modern: new ModernFakeTimers({ config, global: globalThis }),
    };
    this.fakeTimers = timers.legacy;
    this.fakeTimersModern = timers.modern;
  }

  exportConditions(): string[] {
    return ['node', 'node-addons'];
  }

  getVmContext(): Context | null {
    return globalThis as Context;
  }

  async setup(): Promise<void> {
    // Nothing to make ready.
  }

  async teardown(): Promise<void> {
    for (const fake of [this.fakeTimers, this.fakeTimersModern]) fake.useRealTimers();
    forgetCircus();
    process.exit = this.before.exit;
    globalThis.console = this.before.console;
    restoreVariables(this.before.env);
  }
}

/** Who listens to the tests of a file, and these tests with all that they hold: Jest keeps both on the global object, which it takes for the file's. */
function forgetCircus(): void {
  const kept = Object.getOwnPropertySymbols(globalThis).filter(({ description }) => description === 'EVENT_HANDLERS' || description === 'JEST_STATE_SYMBOL');
  for (const symbol of kept) Reflect.deleteProperty(globalThis, symbol);
}

function restoreVariables(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!(name in env)) Reflect.deleteProperty(process.env, name);
  Object.assign(process.env, env);
}
