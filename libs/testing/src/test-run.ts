import type { EmbeddedPostgres } from '@twinyard/service-kit/process';
import type { EngineHolder } from './engines';

interface TestRun {
  postgres?: { readonly server: EmbeddedPostgres; readonly folder: string };
  engines?: EngineHolder;
}

/** Handed from Jest's global setup to its teardown: both run in the parent process, but each in a module world of its own. */
const home = globalThis as { twinyardTestRun?: TestRun };

export const testRun: TestRun = (home.twinyardTestRun ??= {});
