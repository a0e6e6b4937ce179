import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { isEngineName } from './engines/catalogue';
import type { EngineName } from './engines/engine';
import { EngineSet } from './engine-set';

/**
 * Engines of a test. They live as long as somebody holds this process's standard input open: the end of that pipe is the one
 * message that a killed test run cannot fail to send. The folder goes with them. Commands are lines, `kill kafka` or
 * `restart kafka`; every answer is a line of JSON.
 */
export async function hold(folder: string, names: readonly EngineName[]): Promise<void> {
  const engines = new EngineSet(folder);
  const lines = createInterface({ input: process.stdin });
  process.stdout.on('error', () => undefined); // nobody reads any more
  const gone = new Promise<void>((resolve) => lines.once('close', resolve));
  let work = Promise.resolve();
  const next = (step: () => Promise<unknown>) => {
    work = work.then(step).then(answer, (error: Error) => answer({ error: error.message }));
  };
  next(async () => {
    const missing = await engines.up(names);
    return { missing, settings: Object.fromEntries(engines.started().map((name) => [name, engines.engine(name).settings()])) };
  });
  lines.on('line', (line) => next(() => obey(engines, line)));
  await gone;
  await work;
  for (const name of engines.started()) engines.engine(name).fatalLines().forEach((line) => process.stderr.write(`engines: ${name} said: ${line}\n`));
  await engines.killAll();
  rmSync(folder, { recursive: true, force: true });
}

async function obey(engines: EngineSet, line: string): Promise<object> {
  const [verb, name = ''] = line.split(' ');
  if (!isEngineName(name)) throw new Error(`no engine is called ${name}`);
  if (verb === 'kill') await engines.engine(name).kill();
  if (verb === 'restart') await engines.restart(name);
  return { done: line };
}

function answer(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}
