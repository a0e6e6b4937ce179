import type { Circus } from '@jest/types';
import { TestEnvironment } from 'jest-environment-node';
import { covers, readCannot } from './cannot';
import { noteSkip } from './engine-skips';
import { type EngineName, sharedEngines } from './engines';

/** Skips what the engines of this run cannot do (deploy/engines/cannot.txt) without a word of it in the suites, and notes what is skipped. */
export default class EnginesEnvironment extends TestEnvironment {
  private readonly shared = sharedEngines();
  private readonly cannot = readCannot();
  /** `--try-cannot`: runs only what is listed, and takes it for a failure when it passes. */
  private readonly tries = process.env.ENGINES_TRY_CANNOT === 'true';

  /** All tests are known when the run of a file starts. */
  handleTestEvent = (event: Circus.AsyncEvent | Circus.SyncEvent, state: Circus.State): void => {
    if (event.name === 'run_start') this.visit(state.rootDescribeBlock, '');
  };

  private visit(block: Circus.DescribeBlock, above: string): void {
    for (const child of block.children) {
      const name = `${above}${child.name}`;
      if (child.type === 'describeBlock') this.visit(child, `${name} `);
      else this.decide(child, name);
    }
  }

  private decide(test: Circus.TestEntry, name: string): void {
    const cannot = this.cannot.find((line) => covers(line, name));
    const missing = missingReason(name, this.shared.missing);
    const applies = cannot !== undefined && !this.shared.outside.includes(cannot.engine);
    if (missing !== undefined) noteSkip({ test: name, reason: missing, ...(cannot && { cannot: cannot.name }) });
    else if (cannot) noteSkip({ test: name, reason: applies ? cannot.reason : '', cannot: cannot.name });
    if (this.tries && applies) test.failing = true;
    else if (this.tries || applies) test.mode = 'skip';
  }
}

/** `onEngine` has begun the name with the engines that it needs. */
function missingReason(name: string, missing: Partial<Record<EngineName, string>>): string | undefined {
  const needed = (/^on ([a-z+]+) /.exec(name)?.[1] ?? '').split('+') as EngineName[];
  return needed.flatMap((engine) => missing[engine] ?? [])[0]?.split('\n')[0];
}
