import { type Cannot, covers } from './cannot';
import type { EngineSkip } from './engine-skips';
import type { EngineName, SharedEngines } from './engines';

export interface EngineRun extends Pick<SharedEngines, 'missing' | 'outside'> {
  readonly cannot: readonly Cannot[];
  /** `--try-cannot`: only what cannot.txt lists is run, and it is a fault when it passes. */
  readonly triesCannot: boolean;
}

export interface Verdict {
  readonly run: 'run' | 'skip' | 'expect a failure';
  /** For the list that is printed, or, without a reason, to know that the line of cannot.txt names a test. */
  readonly note?: EngineSkip;
}

/** What becomes of a test, by its full name, on the engines of this run. */
export function verdictOn(test: string, { cannot, missing, outside, triesCannot }: EngineRun): Verdict {
  const line = cannot.find((one) => covers(one, test));
  const applies = line !== undefined && !outside.includes(line.engine);
  const lacking = reasonOfMissing(test, missing);
  const reason = lacking ?? (applies ? line.reason : '');
  const note = { test, reason, ...(line && { cannot: line.name }) };
  return { run: whatToDo(lacking === undefined && applies, triesCannot), ...((line ?? lacking) !== undefined && { note }) };
}

function whatToDo(applies: boolean, triesCannot: boolean): Verdict['run'] {
  if (triesCannot) return applies ? 'expect a failure' : 'skip';
  return applies ? 'skip' : 'run';
}

/** `onEngine` has begun the name with the engines that it needs, one in another with those of both, and has skipped the suite already. */
function reasonOfMissing(test: string, missing: SharedEngines['missing']): string | undefined {
  const needed = [...test.matchAll(/on ([a-z+]+) /gy)].flatMap(([, names = '']) => names.split('+')) as EngineName[];
  return needed.map((engine) => missing[engine]).find((reason) => reason !== undefined)?.split('\n')[0];
}
