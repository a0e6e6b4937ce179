/** A process of its own, so that its memory is that of the scripts: prints what it has seen as JSON. Argument: scripts at once. */
import { readFileSync } from 'node:fs';
import { SCRIPT_LIMITS, type ScriptOutcome, ScriptRunner } from '../src';
import { HOSTILE_SCRIPTS } from './hostile-scripts';

export interface MemorySeen {
  readonly limitBytes: number;
  readonly baseBytes: number;
  readonly peakBytes: number;
  readonly afterBytes: number;
  readonly outcomes: Readonly<Record<string, ScriptOutcome>>;
}

const memoryOf = (field: 'VmHWM' | 'VmRSS') =>
  Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1024;

async function see(threads: number): Promise<MemorySeen> {
  const runner = new ScriptRunner({ threads, queue: HOSTILE_SCRIPTS.length });
  const run = async (source: string, owner: string) => runner.run({ source, owners: [owner], limits: { timeMs: 4_000 } });
  await Promise.all(Array.from({ length: threads }, (_, n) => run('export default () => 1', `${n}`)));
  const baseBytes = memoryOf('VmRSS');
  const ended = await Promise.all(HOSTILE_SCRIPTS.map(async ({ name, body }) => [name, await run(`export default function () { ${body} }`, name)] as const));
  await run('export default () => 1', 'last');
  const peakBytes = memoryOf('VmHWM');
  await runner.close();
  return { limitBytes: SCRIPT_LIMITS.memoryBytes, baseBytes, peakBytes, afterBytes: memoryOf('VmRSS'), outcomes: Object.fromEntries(ended) };
}

void see(Number(process.argv[2])).then((seen) => process.stdout.write(JSON.stringify(seen)));
