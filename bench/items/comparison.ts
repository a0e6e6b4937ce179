import { type BenchRow, perSecond } from '../bench-table';
import { drive, type Load, medianLoad } from '../statistics';
import type { ServiceTime } from './service-time';

export type Ask = (index: number) => Promise<unknown>;

export interface Ways {
  readonly bare?: Ask;
  readonly direct: Ask;
  readonly gateway?: Ask;
}

export interface Measured extends Load {
  /** Processor milliseconds of itemsvc for each request. */
  readonly serviceMs: number;
}

export interface Rounds {
  readonly requests: number;
  readonly connections: number;
  readonly rounds: number;
  /** Requests of each way before the first round; half a round without. */
  readonly warmUp?: number;
  readonly time: ServiceTime;
}

const WAYS = ['bare', 'direct', 'gateway'] as const;

/** Rounds of each way by turns, so that a drift of the machine hits all; the first round warms up and is left out. */
export async function compare(ways: Ways, { requests, connections, rounds, time, warmUp = Math.ceil(requests / 2) }: Rounds): Promise<Readonly<Record<keyof Ways, Measured | undefined>>> {
  const loads: Record<keyof Ways, Measured[]> = { bare: [], direct: [], gateway: [] };
  for (let round = 0; round <= rounds; round += 1) {
    for (const way of WAYS) {
      const ask = ways[way];
      if (ask === undefined) continue;
      const total = round === 0 ? warmUp : requests;
      const before = time.seconds();
      const load = await drive(total, connections, ask);
      if (round > 0) loads[way].push({ ...load, serviceMs: ((time.seconds() - before) * 1000) / total });
    }
  }
  return { bare: medianOf(loads.bare), direct: medianOf(loads.direct), gateway: medianOf(loads.gateway) };
}

function medianOf(loads: readonly Measured[]): Measured | undefined {
  if (loads.length === 0) return undefined;
  return { ...medianLoad(loads), serviceMs: loads.reduce((sum, { serviceMs }) => sum + serviceMs, 0) / loads.length };
}

/** A row of requests a second; `goal` as the issue has it. */
export function rateRow(what: string, ours: Measured | undefined, bare: Load | undefined, goal?: string): BenchRow[] {
  if (ours === undefined) return [];
  const say = ({ perSecond: rate, p50Ms }: Load) => `${perSecond(rate)}/s (p50 ${p50Ms.toFixed(1)} ms)`;
  return [{
    group: 'items', what, measured: `${say(ours)}, ${ours.serviceMs.toFixed(2)} ms of itemsvc`, value: ours.perSecond,
    ...(bare && { bare: say(bare), ratio: (ours.perSecond / bare.perSecond).toFixed(2) }), ...(goal !== undefined && { goal }),
  }];
}

/** A row of how long one request takes when nobody else asks; the ratio is how often the bare one's time. */
export function timeRow(what: string, ours: Measured | undefined, bare: Load | undefined, goal?: string): BenchRow[] {
  if (ours === undefined) return [];
  return [{
    group: 'items', what, measured: `p50 ${ours.p50Ms.toFixed(2)} ms, ${ours.serviceMs.toFixed(2)} ms of itemsvc`, value: ours.p50Ms,
    ...(bare && { bare: `p50 ${bare.p50Ms.toFixed(2)} ms`, ratio: `${(bare.p50Ms / ours.p50Ms).toFixed(2)} (time x ${(ours.p50Ms / bare.p50Ms).toFixed(1)})` }),
    ...(goal !== undefined && { goal }),
  }];
}
