import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

const PAGE_BYTES = 4_096;

/** When the machine runs out of memory, this process goes first, not the service. */
export function offerMemory(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Only Linux knows it.
  }
}

/** What another process has in memory; 0 where that is not known: it has ended, or the system is not Linux. */
export async function residentMb(pid: number | undefined): Promise<number> {
  const text = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '');
  return (Number(text.split(' ')[1] ?? 0) * PAGE_BYTES) / 1024 ** 2;
}
