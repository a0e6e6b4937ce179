import { readFile } from 'node:fs/promises';

const WATCH_MS = 50;
const PAGE_BYTES = 4_096;
/** proc_pid_stat(5) counts the time of processors in these, whatever the kernel's own are. */
const TICK_MS = 10;

interface Taken {
  readonly memoryMb: number;
  readonly processorMs: number;
}

/** Says once that a process takes more memory than it may. Returns what ends the watch, and says for how long it has kept processors busy, in ms. Only Linux tells what a process takes. */
export function watchProcess(pid: number | undefined, mostMb: number, isOver: () => void): () => number {
  let processorMs = 0;
  let isWithin = true;
  const watch = setInterval(() => {
    void takenBy(pid).then((taken) => {
      // Its last moments are not seen: an answer that comes when there is no such process any more is none.
      processorMs = Math.max(processorMs, taken.processorMs);
      if (!isWithin || taken.memoryMb <= mostMb) return;
      isWithin = false;
      isOver();
    });
  }, WATCH_MS);
  return () => {
    clearInterval(watch);
    return processorMs;
  };
}

/** proc_pid_stat(5). Behind the name, which may have any character, come the fields from the third on. */
async function takenBy(pid: number | undefined): Promise<Taken> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const field = (number: number) => Number(fields[number - 3] ?? 0);
  return { memoryMb: (field(24) * PAGE_BYTES) / 1024 ** 2, processorMs: (field(14) + field(15)) * TICK_MS };
}
