import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { eventually } from './eventually';
import { readFileSync } from 'node:fs';

export interface Zombie {
  readonly pid: number;
  /** Has its parent end, so that the system collects it. */
  release(): void;
}

/** A process that has ended and that its parent never collects: what kill -9 leaves where the first process of a container reaps nobody. */
export async function startZombie(): Promise<Zombie> {
  const parent = spawn('/bin/sh', ['-c', 'sleep 0 & echo $!; exec sleep 600'], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = (await once(parent.stdout, 'data')) as [Buffer];
  const pid = Number(line.toString());
  await eventually(() => {
    if (!readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')) throw new Error(`${pid} has not ended`);
  });
  return { pid, release: () => void parent.kill('SIGKILL') };
}
