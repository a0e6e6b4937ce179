/** The value that as many lie below as above. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

/** The value that the share `part` of them lies below. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(Math.floor(sorted.length * part), sorted.length - 1)] ?? Number.NaN;
}

export interface Load {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Processor time of the process that answers, for each call; `NaN` where nobody asked. */
  readonly cpuMs: number;
}

/** `total` calls by `workers` that each start the next one when theirs has ended. `clock`: of the process that answers, in milliseconds. */
export async function drive(total: number, workers: number, call: (index: number) => Promise<unknown>, clock = () => Number.NaN): Promise<Load & { readonly latencies: readonly number[] }> {
  const latencies: number[] = [];
  let next = 0;
  const work = async () => {
    for (let index = next++; index < total; index = next++) {
      const began = performance.now();
      await call(index);
      latencies.push(performance.now() - began);
    }
  };
  const [began, used] = [performance.now(), clock()];
  await Promise.all(Array.from({ length: workers }, work));
  const cpuMs = (clock() - used) / total;
  return { perSecond: (total * 1000) / (performance.now() - began), cpuMs, p50Ms: median(latencies), p99Ms: quantile(latencies, 0.99), latencies };
}

export const medianLoad = (loads: readonly Load[]): Load => ({
  perSecond: median(loads.map((load) => load.perSecond)),
  p50Ms: median(loads.map((load) => load.p50Ms)),
  p99Ms: median(loads.map((load) => load.p99Ms)),
  // What else runs on the machine can only add to it.
  cpuMs: Math.min(...loads.map((load) => load.cpuMs)),
});

/** For a row's column; nothing where it was not measured. */
export function processorTime(ours: Load, bare?: Load): { readonly cpu?: string } {
  if (Number.isNaN(ours.cpuMs)) return {};
  const say = (milliseconds: number) => (milliseconds < 10 ? `${Math.round(milliseconds * 1_000)} µs` : `${milliseconds.toFixed(1)} ms`);
  return { cpu: bare === undefined || Number.isNaN(bare.cpuMs) ? say(ours.cpuMs) : `${say(ours.cpuMs)}, bare ${say(bare.cpuMs)}: ${(bare.cpuMs / ours.cpuMs).toFixed(2)}` };
}
