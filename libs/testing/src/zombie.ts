import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { eventually } from './eventually';
import { readFileSync } from 'node:fs';

export interface Zombie {
  readonly pid: number;
  /** Has its parent end, so that the system collects it. */
  release(): void;
}

/** A process that has ended and that its parent never collects: what kill -9 leaves where the first process of a container reaps nobody. */
export async function startZombie(): Promise<Zombie> {
  const parent = spawn('/bin/sh', ['-c', 'cat <&3 >/dev/null & echo $!; exec sleep 600 3<&-'], { stdio: ['ignore', 'pipe', 'ignore', 'pipe'] });
  const [, stdout, , line] = parent.stdio as unknown as [null, Readable, null, Writable];
  const [said] = (await once(stdout, 'data')) as [Buffer];
  const pid = Number(said.toString());
  // A shell would collect it: it ends when its parent is none any more.
  await eventually(() => {
    if (readFileSync(`/proc/${parent.pid}/comm`, 'utf8').trim() !== 'sleep') throw new Error('the shell is still there');
  });
  line.end();
  await eventually(() => {
    if (!readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')) throw new Error(`${pid} has not ended`);
  });
  return { pid, release: () => void parent.kill('SIGKILL') };
}
