import asyncHooks from 'node:async_hooks';
import { compileFunction } from 'node:vm';
import Runtime from 'jest-runtime';
import { TestInTurn } from './test-in-turn.mjs';

/** For jest-circus. */
const HOOKS_IN_TURN = { ...asyncHooks, AsyncLocalStorage: TestInTurn };

/** What has loaded the modules of the product, of packages and of the specs' own helpers, for all spec files of this worker. */
let world;

/**
 * Jest's module loader, but a worker evaluates a module once and not anew for each spec file: as in production, where a process loads it
 * once. Spec files themselves, and Jest's own modules, stay per file. A spec that mocks a module needs a world of its own: it says
 * `@jest-environment node` on top, and so does one whose subject is the state of a module.
 */
export default class SharedRuntime extends Runtime {
  constructor(config, environment, resolver, transformer, cacheFS, coverage, testPath, globalConfig) {
    super(config, environment, resolver, transformer, cacheFS, coverage, testPath, globalConfig);
    this.isShared = environment.sharesModules === true && !globalConfig.watch && !globalConfig.watchAll && !globalConfig.collectCoverage;
    if (environment.sharesModules === true) compileInThisRealm(this);
    if (!this.isShared) return;
    world ??= Object.assign(compileInThisRealm(new Runtime(config, environment, resolver, transformer, new Map(), coverage, testPath, globalConfig)), { setMock: refuseMock });
    // A stack of one file's test leads through modules that another file has loaded.
    this.transformCache.sourceMaps = world.transformCache.sourceMaps;
  }

  requireModule(from, moduleName, options, isRequireActual) {
    if (options?.isInternalModule === true && moduleName === 'node:async_hooks') return HOOKS_IN_TURN;
    const isOwn = !this.isShared || options?.isInternalModule === true || from === moduleName || moduleName === undefined || this._resolution.isCoreModule(moduleName);
    return isOwn ? super.requireModule(from, moduleName, options, isRequireActual) : world.requireModule(from, moduleName, options, isRequireActual);
  }

  setMock(from, moduleName, factory, options) {
    if (this.isShared) refuseMock(from, moduleName);
    super.setMock(from, moduleName, factory, options);
  }

  teardown() {
    super.teardown();
    if (!this.isShared) return;
    world.transformCache.clear();
    world.fileCache.clear();
  }
}

function refuseMock(_from, moduleName) {
  throw new Error(`jest.mock('${moduleName}') would change no module that is loaded already: write "@jest-environment node" in a comment on top of the spec`);
}

/** Not in a context of its own, where each look at a global goes through a proxy, and where `instanceof Error` is not true of Node's errors. */
function compileInThisRealm(runtime) {
  const { executor } = runtime;
  executor.compile = (source, filename) => compileFunction(source, executor.injectedModuleParameters, { filename });
  return runtime;
}
