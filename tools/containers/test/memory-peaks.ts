import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Container } from '../compose-project';

const EVERY_MS = 200;

export interface Peak {
  readonly service: string;
  readonly bytes: number;
  readonly limit: number;
}

/**
 * What containers hold at most of the memory that a limit kills for: not the files that the kernel keeps a copy of while there is room, which it gives up first.
 * Read from the control groups of either version.
 */
export class MemoryPeaks {
  private readonly peaks = new Map<string, Peak>();
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly containers: readonly Container[]) {
    this.look();
    this.timer = setInterval(() => this.look(), EVERY_MS);
  }

  stop(): void {
    clearInterval(this.timer);
    this.look();
  }

  get all(): Peak[] {
    return [...this.peaks.values()];
  }

  private look(): void {
    for (const container of this.containers) {
      const memory = memoryOf(container.ID);
      // Killed, and not started again yet: what it held before is what counts.
      if (memory === undefined) continue;
      const { bytes, limit } = memory;
      this.peaks.set(container.ID, { service: container.Service, limit, bytes: Math.max(bytes, this.peaks.get(container.ID)?.bytes ?? 0) });
    }
  }
}

function memoryOf(id: string): { bytes: number; limit: number } | undefined {
  const old = join('/sys/fs/cgroup/memory/docker', id);
  const isOld = existsSync(old);
  const folder = isOld ? old : join('/sys/fs/cgroup/docker', id);
  if (!existsSync(folder)) return undefined;
  const read = (file: string) => readFileSync(join(folder, file), 'utf8');
  const stat = new Map(read('memory.stat').split('\n').map((line) => line.split(' ') as [string, string]));
  const sum = (names: readonly string[]) => names.reduce((total, name) => total + Number(stat.get(name) ?? 0), 0);
  return { bytes: sum(isOld ? ['total_rss', 'total_shmem'] : ['anon', 'shmem']), limit: Number(read(isOld ? 'memory.limit_in_bytes' : 'memory.max')) };
}
