import { readFile } from 'node:fs/promises';

const WATCH_MS = 50;
const PAGE_BYTES = 4_096;

/** Says once that a process takes more memory than it may. Returns what ends the watch. Only Linux tells what a process takes. */
export function watchMemory(pid: number | undefined, mostMb: number, isOver: () => void): () => void {
  const watch = setInterval(() => {
    void residentMb(pid).then((mb) => {
      if (mb <= mostMb) return;
      clearInterval(watch);
      isOver();
    });
  }, WATCH_MS);
  return () => clearInterval(watch);
}

async function residentMb(pid: number | undefined): Promise<number> {
  const text = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '');
  return (Number(text.split(' ')[1] ?? 0) * PAGE_BYTES) / 1024 ** 2;
}
