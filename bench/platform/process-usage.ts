import { readdirSync, readFileSync } from 'node:fs';

export interface Usage {
  readonly processes: number;
  /** Resident memory in bytes, summed: a page that several processes share counts once for each. */
  readonly rss: number;
  /** Proportional share in bytes: a page that n processes share counts 1/n for each. What the machine really gives away. */
  readonly pss: number;
  /** Processor time used so far, in seconds: also that of processes that have ended, such as those of database connections. */
  readonly cpu: number;
}

/** Of a clock tick (USER_HZ), fixed on Linux. */
const TICKS_PER_SECOND = 100;

/** What a process and all that it started use, read from /proc; `undefined` where there is none. */
export function usageOf(root: number): Usage | undefined {
  const processes = listProcesses();
  return processes && sumOf(descendants(root, processes));
}

/** The same by what they are, as `nameOf` tells of each from its command line. */
export function usageByName(root: number, nameOf: (command: string) => string): ReadonlyMap<string, Usage> {
  const members = descendants(root, listProcesses() ?? []).map((entry) => ({ entry, name: nameOf(commandOf(entry.id)) }));
  const names = new Set(members.map(({ name }) => name));
  return new Map([...names].map((one) => [one, sumOf(members.filter(({ name }) => name === one).map(({ entry }) => entry))]));
}

function sumOf(members: readonly ProcessEntry[]): Usage {
  const memory = members.map(({ id }) => memoryOf(id));
  return {
    processes: members.length,
    rss: sum(memory.map(({ rss }) => rss)),
    pss: sum(memory.map(({ pss }) => pss)),
    cpu: sum(members.map(({ cpu, endedCpu }) => cpu + endedCpu)),
  };
}

/** Tells the processor time, in milliseconds, that a process has used so far: not that of those it has started. `NaN` where there is no /proc. */
export type ProcessorClock = () => number;

export const processorClock = (id: number): ProcessorClock => () => (readProcess(id)[0]?.cpu ?? Number.NaN) * 1_000;

/** Of a process below `root` whose command line names `file`. */
export const clockOf = (root: number, file: string): ProcessorClock => processorClock(processIdOf(root, file));

/** 0 where there is none. */
export const processIdOf = (root: number, file: string): number => descendants(root, listProcesses() ?? []).find(({ id }) => commandOf(id).includes(file))?.id ?? 0;

function commandOf(id: number): string {
  try {
    return readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

interface ProcessEntry {
  readonly id: number;
  readonly parent: number;
  readonly cpu: number;
  /** Of those that it has started, that have ended, and that it has waited for. */
  readonly endedCpu: number;
}

function listProcesses(): ProcessEntry[] | undefined {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).flatMap((name) => readProcess(Number(name)));
  } catch {
    return undefined;
  }
}

/** proc(5): the name in brackets may hold anything; after it come state, parent, … and as 14th to 17th field the times, its own and those of the ended. */
function readProcess(id: number): ProcessEntry[] {
  try {
    const fields = readFileSync(`/proc/${id}/stat`, 'utf8').replace(/^.*\) /s, '').split(' ');
    const seconds = (first: number) => (Number(fields[first]) + Number(fields[first + 1])) / TICKS_PER_SECOND;
    return [{ id, parent: Number(fields[1]), cpu: seconds(11), endedCpu: seconds(13) }];
  } catch {
    return []; // it has ended since
  }
}

function descendants(root: number, processes: readonly ProcessEntry[]): ProcessEntry[] {
  const members = processes.filter(({ id }) => id === root);
  for (const member of members) members.push(...processes.filter(({ parent }) => parent === member.id));
  return members;
}

function memoryOf(id: number): { rss: number; pss: number } {
  try {
    const rollup = readFileSync(`/proc/${id}/smaps_rollup`, 'utf8');
    const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(rollup)?.[1] ?? 0) * 1024;
    return { rss: bytes('Rss'), pss: bytes('Pss') };
  } catch {
    return { rss: 0, pss: 0 };
  }
}

/** Watches a process tree while something happens, and keeps the highest sums seen. */
export class PeakWatch {
  private rss = 0;
  private pss = 0;
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly root: number, everyMs = 250) {
    this.look();
    this.timer = setInterval(() => this.look(), everyMs);
  }

  end(): { rss: number; pss: number } {
    clearInterval(this.timer);
    this.look();
    return { rss: this.rss, pss: this.pss };
  }

  private look(): void {
    const usage = usageOf(this.root);
    this.rss = Math.max(this.rss, usage?.rss ?? 0);
    this.pss = Math.max(this.pss, usage?.pss ?? 0);
  }
}

/** Watches how much memory of one process is resident: at the beginning, and at most. */
export class ResidentWatch {
  private readonly before: number;
  private peak = 0;
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly id: number, everyMs = 50) {
    this.before = memoryOf(id).rss;
    this.timer = setInterval(() => this.look(), everyMs);
  }

  end(): { readonly before: number; readonly peak: number } {
    clearInterval(this.timer);
    this.look();
    return { before: this.before, peak: this.peak };
  }

  private look(): void {
    this.peak = Math.max(this.peak, memoryOf(this.id).rss);
  }
}
