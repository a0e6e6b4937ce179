import type { Circus } from '@jest/types';
import { TestEnvironment } from 'jest-environment-node';
import { readCannot } from './cannot';
import { noteSkip } from './engine-skips';
import { type EngineRun, verdictOn } from './engine-verdict';
import { sharedEngines } from './engines';

/** Skips what the engines of this run cannot do (deploy/engines/cannot.txt) without a word of it in the suites, and notes what is skipped. */
export default class EnginesEnvironment extends TestEnvironment {
  private readonly run: EngineRun = { ...sharedEngines(), cannot: readCannot(), triesCannot: process.env.ENGINES_TRY_CANNOT === 'true' };

  /** All tests are known when the run of a file starts. */
  handleTestEvent = (event: Circus.AsyncEvent | Circus.SyncEvent, state: Circus.State): void => {
    if (event.name === 'run_start') this.visit(state.rootDescribeBlock, '');
  };

  private visit(block: Circus.DescribeBlock, above: string): void {
    for (const child of block.children) {
      const name = `${above}${child.name}`;
      if (child.type === 'describeBlock') this.visit(child, `${name} `);
      else this.judge(child, name);
    }
  }

  private judge(test: Circus.TestEntry, name: string): void {
    const { run, note } = verdictOn(name, this.run);
    if (note) noteSkip(note);
    if (run === 'skip') test.mode = 'skip';
    if (run === 'expect a failure') test.failing = true;
  }
}
